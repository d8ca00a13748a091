//! The decorators over engines that answer what the test says.

mod canonical;
mod independence;
mod scripted;
mod validate;
