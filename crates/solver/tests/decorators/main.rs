//! The decorators over engines that answer what the test says.

mod cache;
mod independence;
mod scripted;
mod validate;
