//! The pure decision core of Bouncer: what a tool call may do, decided from plain data.
//!
//! Nothing here reads a file, a clock or a socket, waits, or keeps global state: the same call after the
//! same history gets the same ruling. The host gathers [`facts::Facts`], asks [`decide::floor`], runs the
//! policy modules that the floor names, and hands their outcomes to [`decide::Floor::settle`]. Only a
//! ruling of *allow* yields a [`permit::Permit`], the only key to an upstream server.

pub mod arg_path;
pub mod call;
pub mod contract;
pub mod decide;
pub mod destination;
pub mod evidence;
pub mod facts;
pub mod heuristic;
pub mod line;
pub mod permit;
pub mod pin;
pub mod provenance;
pub mod resource;
pub mod ruling;
pub mod shown;
pub mod tool;
pub mod value;
pub mod verdict;
