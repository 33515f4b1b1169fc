//! Bouncer's host: what surrounds the pure decision core. See [`bouncer_core`] for how a call is decided.

pub mod home;
pub mod policy;
