//! The proxy and the command line.
pub mod store;
