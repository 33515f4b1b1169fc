//! What a policy file states of one tool on one server.

use bouncer_core::contract::{Contract, Layer, Profile, Said, Stated};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Whose file it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The user's own: what loosens in it takes effect.
    User,
    /// It came with a repository: it can only tighten.
    Project,
}

/// One key of one tool: what it says, and the line it stands in.
#[derive(Debug, Clone)]
pub(crate) struct Statement {
    pub(crate) key: String,
    pub(crate) line: usize,
    /// Where the key starts, in bytes.
    pub(crate) at: usize,
    pub(crate) contract: Contract,
}

/// Everything said in one table of a tool.
#[derive(Debug, Clone)]
pub(crate) struct Rule {
    /// Only on this server; `None` on any.
    pub(crate) server: Option<String>,
    pub(crate) tool: String,
    /// Where the tool's key starts, in bytes.
    pub(crate) at: usize,
    pub(crate) statements: Vec<Statement>,
}

/// A policy file that was read without a problem.
#[derive(Debug, Clone)]
pub struct Policy {
    pub(crate) origin: Origin,
    pub(crate) name: PathBuf,
    pub(crate) profile: Option<(Profile, usize)>,
    pub(crate) ask_timeout: Option<u64>,
    /// Entries that hold for every tool, with their lines.
    pub(crate) trusted: Vec<(String, usize)>,
    pub(crate) rules: Vec<Rule>,
    /// Whether `bouncer serve` shows what recorded calls carried.
    pub(crate) serve_audit_values: bool,
    pub(crate) packs: BTreeMap<String, serde_json::Value>,
    /// Where the key of each pack starts, in bytes.
    pub(crate) packs_at: BTreeMap<String, usize>,
    /// The public keys that packs must be signed by, by pack name or `*`.
    pub(crate) pack_keys: BTreeMap<String, String>,
    pub(crate) modules: Vec<PathBuf>,
    /// Where the table of each module starts, in bytes.
    pub(crate) modules_at: Vec<usize>,
    pub(crate) module_settings: BTreeMap<PathBuf, serde_json::Value>,
}

impl Policy {
    /// A policy that says nothing, for a user who has none.
    #[must_use]
    pub fn empty() -> Self {
        Self::named(Origin::User, Path::new("no policy file"))
    }

    pub(crate) fn named(origin: Origin, name: &Path) -> Self {
        Self {
            origin,
            name: name.to_owned(),
            profile: None,
            ask_timeout: None,
            trusted: Vec::new(),
            rules: Vec::new(),
            serve_audit_values: false,
            packs: BTreeMap::new(),
            packs_at: BTreeMap::new(),
            pack_keys: BTreeMap::new(),
            modules: Vec::new(),
            modules_at: Vec::new(),
            module_settings: BTreeMap::new(),
        }
    }

    /// Whose file it is.
    #[must_use]
    pub fn origin(&self) -> Origin {
        self.origin
    }

    /// The file, as the user named it.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.name
    }

    /// How much is asked, where the file says so.
    #[must_use]
    pub fn profile(&self) -> Option<Profile> {
        self.profile.map(|(profile, _)| profile)
    }

    /// How long a human has for an answer, in seconds, where the file says so.
    #[must_use]
    pub fn ask_timeout(&self) -> Option<u64> {
        self.ask_timeout
    }

    /// Whether `bouncer serve` may show arguments, reasons and evidence of recorded calls.
    #[must_use]
    pub fn serve_audit_values(&self) -> bool {
        self.serve_audit_values
    }

    /// The policy without its modules, for text of somebody else's: naming a file must not make anybody read it.
    #[must_use]
    pub fn without_modules(mut self) -> Self {
        self.modules.clear();
        self.modules_at.clear();
        self.module_settings.clear();
        self
    }

    /// The destinations that the file vouches for whatever the tool, each with its place (`bouncer.toml:3`).
    pub fn trusted(&self) -> impl Iterator<Item = (&str, String)> + '_ {
        self.trusted.iter().map(|(entry, line)| (entry.as_str(), self.place(*line)))
    }

    /// What the file states of `tool` on `server`: one statement for each key, so that each has its own line.
    ///
    /// A key in a table of the server's own takes the place of the same key in the plain table of the tool. In a file
    /// of a project, which can only tighten, both stand.
    #[must_use]
    pub fn stated(&self, server: &str, tool: &str) -> Vec<Stated> {
        let (own, plain): (Vec<&Rule>, Vec<&Rule>) = self
            .rules
            .iter()
            .filter(|rule| rule.tool == tool && rule.server.as_deref().is_none_or(|name| name == server))
            .partition(|rule| rule.server.is_some());
        let own: Vec<&Statement> = own.into_iter().flat_map(|rule| &rule.statements).collect();
        let replaced = |statement: &Statement| {
            self.origin == Origin::User && own.iter().any(|other| other.key == statement.key)
        };
        let plain =
            plain.into_iter().flat_map(|rule| &rule.statements).filter(|statement| !replaced(statement));
        let of_tool = own.iter().copied().chain(plain).map(|s| self.state(s.line, s.contract.clone()));
        let of_tool: Vec<Stated> = of_tool.collect();
        let profiled = of_tool.iter().any(|stated| stated.contract.profile.is_some());
        self.general(profiled).into_iter().chain(of_tool).collect()
    }

    /// What holds for every tool; a tool's own profile takes the place of the file's, which lowers no guess about a tool: the
    /// profile of the file is a floor.
    fn general(&self, profiled: bool) -> Vec<Stated> {
        let profile =
            self.profile.filter(|_| !profiled || self.origin == Origin::Project).map(|(profile, line)| {
                let floor = Contract { profile: Some(profile), ..Contract::default() };
                Stated { may_loosen: false, ..self.state(line, floor) }
            });
        let trusted = self.trusted.iter().map(|(entry, line)| {
            let contract = Contract { trusted_destinations: vec![entry.clone()], ..Contract::default() };
            self.state(*line, contract)
        });
        profile.into_iter().chain(trusted).collect()
    }

    fn state(&self, line: usize, contract: Contract) -> Stated {
        let (layer, may_loosen) = match self.origin {
            Origin::User => (Layer::User, true),
            Origin::Project => (Layer::Project, false),
        };
        Stated { said: Said { layer, place: self.place(line) }, contract, may_loosen }
    }

    fn place(&self, line: usize) -> String {
        let name =
            self.name.file_name().map_or_else(|| self.name.to_string_lossy(), |name| name.to_string_lossy());
        format!("{name}:{line}")
    }

    /// The public key that a pack of this name must be signed by, where the file names one for it or for all.
    #[must_use]
    pub fn pack_key(&self, pack: &str) -> Option<&str> {
        self.pack_keys.get(pack).or_else(|| self.pack_keys.get("*")).map(String::as_str)
    }

    /// The settings of a pack as a JSON object, `{}` where the file has none.
    #[must_use]
    pub fn settings(&self, pack: &str) -> String {
        self.packs.get(pack).map_or_else(|| "{}".to_owned(), ToString::to_string)
    }

    /// The user's own rules in WebAssembly: absolute paths, in the order written. A project's file cannot add code.
    #[must_use]
    pub fn modules(&self) -> &[PathBuf] {
        &self.modules
    }

    /// The settings of a custom module as a JSON object, `{}` where the file has none.
    #[must_use]
    pub fn module_settings(&self, module: &Path) -> String {
        self.module_settings.get(module).map_or_else(|| "{}".to_owned(), ToString::to_string)
    }

    /// The tools that the file speaks of: server (where it names one) and tool.
    pub fn tools(&self) -> impl Iterator<Item = (Option<&str>, &str)> + '_ {
        self.rules.iter().map(|rule| (rule.server.as_deref(), rule.tool.as_str()))
    }
}
