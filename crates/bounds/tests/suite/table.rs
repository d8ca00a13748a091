//! The literature's programs: FPBench's.

/// Name, FPTaylor's bound of the absolute error, the largest error that searches have found.
pub const TABLE: [(&str, f64, f64); 24] = [
    ("doppler1", 1.22e-13, 9.6e-14),
    ("doppler2", 2.23e-13, 1.8e-13),
    ("doppler3", 6.63e-14, 5.5e-14),
    ("rigid_body1", 2.95e-13, 2.1e-13),
    ("rigid_body2", 3.61e-11, 2.1e-11),
    ("verhulst", 2.47e-16, 1.8e-16),
    ("predator_prey", 1.59e-16, 9.7e-17),
    ("carbon_gas", 4.96e-9, 3.3e-9),
    ("turbine1", 1.67e-14, 1.0e-14),
    ("turbine2", 2.00e-14, 9.6e-15),
    ("turbine3", 9.57e-15, 5.0e-15),
    ("logexp", 1.99e-15, 9.6e-16),
    ("sine", 4.43e-16, 2.9e-16),
    ("sine_order3", 5.94e-16, 3.5e-16),
    ("sqroot", 5.02e-16, 4.4e-16),
    ("ratio", 2.22e-16, 1.7e-16),
    ("jet_engine", 1.03e-11, 6.3e-12),
    ("himmelblau", 1.00e-12, 4.4e-13),
    ("kepler0", 7.47e-14, 4.7e-14),
    ("kepler1", 2.86e-13, 1.4e-13),
    ("kepler2", 1.58e-12, 8.9e-13),
    ("sphere", 8.21e-15, 4.6e-15),
    ("azimuth", 8.78e-15, 4.1e-15),
    ("hartman3", 1.13e-14, 1.3e-15),
];
