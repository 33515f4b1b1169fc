//! What the commands for those who write packs share: the project, cargo, the SDK, the cases.

pub(super) mod cargo;
pub(super) mod cases;
pub(super) mod project;
pub(super) mod sdk;
