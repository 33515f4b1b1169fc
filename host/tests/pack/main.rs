//! `bouncer pack` with the real binary, and what `bouncer run` makes of what is installed.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::panic
)]
#![cfg(unix)]

#[path = "../common/mod.rs"]
mod common;

mod commands;
mod desk;
mod hostile;
mod proxy;
mod registry;
mod signed;
mod sources;
