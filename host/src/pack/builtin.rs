//! The packs in the binary. Their grants come with it: whoever trusts Bouncer's binary trusts what is built into it.

use super::{Bundle, Grants, Manifest, Pack, PackError, PackSource};
use crate::sandbox::Sandbox;
use std::sync::LazyLock;

/// A pack's manifest and component as they are committed.
pub struct Embedded {
    /// The pack's name and folder.
    pub name: &'static str,
    /// `pack.toml`.
    pub manifest: &'static str,
    /// The component.
    pub component: &'static [u8],
}

impl Embedded {
    /// Its files.
    ///
    /// # Errors
    /// Where they do not fit each other: the binary is damaged.
    pub fn bundle(&self) -> Result<Bundle, PackError> {
        let manifest = ("pack.toml".to_owned(), self.manifest.as_bytes().to_vec());
        let component = (format!("{}.wasm", self.name), self.component.to_vec());
        Bundle::new([manifest, component].into(), "built in")
    }
}

impl std::fmt::Debug for Embedded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Embedded").field("name", &self.name).finish_non_exhaustive()
    }
}

macro_rules! embedded {
    ($($name:literal),*) => {
        [$(Embedded {
            name: $name,
            manifest: include_str!(concat!("../../../packs/", $name, "/pack.toml")),
            component: include_bytes!(concat!("../../../packs/", $name, "/", $name, ".wasm")),
        }),*]
    };
}

/// What is built in, in alphabetical order.
pub const EMBEDDED: [Embedded; 17] = embedded![
    "boards",
    "browsers",
    "chat",
    "databases",
    "filesystem",
    "gdrive",
    "github",
    "gmail",
    "google-workspace",
    "mail-senders",
    "microsoft-365",
    "notion",
    "payments",
    "shells",
    "slack",
    "trackers",
    "web"
];

/// Whether a pack of this name is built in.
#[must_use]
pub fn is_builtin(name: &str) -> bool {
    EMBEDDED.iter().any(|pack| pack.name == name)
}

/// The built-in packs, loaded, with their grants.
///
/// # Errors
/// Where one cannot be loaded: the binary is damaged.
pub fn builtin(sandbox: &Sandbox) -> Result<Vec<Pack>, PackError> {
    builtin_where(sandbox, |_| true)
}

/// The built-in packs that `wanted` picks by their manifest, so that a start compiles no module that it does not need.
///
/// # Errors
/// As [`builtin`].
pub fn builtin_where(sandbox: &Sandbox, wanted: impl Fn(&Manifest) -> bool) -> Result<Vec<Pack>, PackError> {
    let mut packs = Vec::new();
    for (pack, manifest) in EMBEDDED.iter().zip(manifests()) {
        let wanted = match manifest {
            Some(manifest) => wanted(manifest),
            // To be told why.
            None => true,
        };
        if wanted {
            packs.push(Pack::of(sandbox, &pack.bundle()?, PackSource::Builtin, Grants::all())?);
        }
    }
    Ok(packs)
}

/// The manifests, in the order of [`EMBEDDED`], each parsed once; `None` for one that cannot be.
fn manifests() -> &'static [Option<Manifest>] {
    static MANIFESTS: LazyLock<Vec<Option<Manifest>>> =
        LazyLock::new(|| EMBEDDED.iter().map(|pack| Manifest::parse(pack.manifest).ok()).collect());
    &MANIFESTS
}

/// Parses the manifests on a thread of its own: a session needs them as soon as its server has listed its tools.
pub(crate) fn prepare() {
    std::thread::spawn(manifests);
}
