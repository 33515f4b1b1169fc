//! A folder with Bouncer's own in it, packs to install, and a recorded server.

use bouncer::home::Home;
use bouncer::pack::{EMBEDDED, sha256_hex};
use bouncer::pins::{Pins, ServerKey};
use bouncer_core::tool::{ServerIdentity, Tool};
use bouncer_core::value::{MAX_DEPTH, Value};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The component of a built-in pack: an honest one for the packs of these tests.
pub fn component(pack: &str) -> &'static [u8] {
    EMBEDDED.iter().find(|embedded| embedded.name == pack).unwrap().component
}

/// The manifest of a pack for the npm package `srv-NAME` and the program `srv-NAME`.
pub fn manifest(name: &str, version: &str, component: &[u8]) -> String {
    format!(
        r#"name = "{name}"
version = "{version}"
summary = "Post: who receives a mail"
module = "{name}.wasm"
sha256 = "{}"
checked = ["srv-{name} 1.0.0 (2 tools)"]

[[servers]]
packages = ["srv-{name}"]
commands = ["srv-{name}"]

[grants]
harmless = "Subject and body name nobody who receives the mail"
not_sending = "Reading sends nothing"
"#,
        sha256_hex(component)
    )
}

/// See the module.
pub struct Desk {
    pub folder: tempfile::TempDir,
}

impl Desk {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn home(&self) -> Home {
        Home::at(&self.path("home"))
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        std::fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        std::fs::write(self.path(name), bytes).unwrap();
    }

    pub fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// A folder `FOLDER` with the pack `post`, whose component is that of the built-in pack `of`.
    pub fn pack(&self, folder: &str, version: &str, of: &str) {
        let component = component(of);
        self.write(&format!("{folder}/pack.toml"), manifest("post", version, component));
        self.write(&format!("{folder}/post.wasm"), component);
    }

    /// Records the server `mail`, started as `npx -y srv-post`, with a tool that sends and one that writes a file.
    pub fn record(&self) {
        let home = self.home();
        home.prepare().unwrap();
        let command: Vec<String> = ["npx", "-y", "srv-post"].map(str::to_owned).to_vec();
        let key = ServerKey::command("mail", &command, Path::new("/"));
        let identity = ServerIdentity { name: "mail".to_owned(), command, ..ServerIdentity::default() };
        let texts = [
            r#"{"name":"send_email","description":"Sends a mail","inputSchema":{"type":"object","properties":{"to":{"type":"array","items":{"type":"string"}},"subject":{"type":"string"},"body":{"type":"string"}},"required":["to","subject","body"]}}"#,
            r#"{"name":"download_attachment","description":"Downloads an attachment","inputSchema":{"type":"object","properties":{"messageId":{"type":"string"},"filename":{"type":"string"},"savePath":{"type":"string"}}}}"#,
        ];
        let tools = texts
            .map(|text| Tool::from_definition(Value::parse(text.as_bytes(), MAX_DEPTH).unwrap()).unwrap());
        drop(Pins::stored(home, key).compare(&identity, tools.to_vec()));
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bouncer"));
        command.args(args).current_dir(self.folder.path()).env("BOUNCER_HOME", self.path("home"));
        for key in ["NO_COLOR", "BOUNCER_LOG", "CLAUDE_CODE_SESSION_ID", "BOUNCER_SESSION"] {
            command.env_remove(key);
        }
        // Otherwise whatever steers a terminal is taken out on the way to a pipe, and no test would see it.
        command.env("CLICOLOR_FORCE", "1");
        command
    }

    /// Code, standard output and standard error, with nothing on standard input. What differs from run to run has names.
    pub fn says(&self, args: &[&str]) -> String {
        let out = self.command(args).stdin(Stdio::null()).output().unwrap();
        let text = format!(
            "code {}\n--- out\n{}--- err\n{}",
            out.status.code().unwrap(),
            String::from_utf8(out.stdout).unwrap(),
            String::from_utf8(out.stderr).unwrap()
        );
        self.named(&text)
    }

    /// The text with names for what differs from run to run; without the line that depends on the system's folders.
    pub fn named(&self, text: &str) -> String {
        let real = self.folder.path().canonicalize().unwrap();
        let mut text =
            text.replace(real.to_str().unwrap(), "DIR").replace(self.folder.path().to_str().unwrap(), "DIR");
        for pack in &EMBEDDED {
            let hash = sha256_hex(pack.component);
            let name = pack.name.to_uppercase();
            text =
                text.replace(&hash, &format!("{name}_SHA256")).replace(&hash[..12], &format!("{name}_SHA"));
            for version in ["1.0.0", "1.1.0", "2.0.0"] {
                let hash = sha256_hex(manifest("post", version, pack.component).as_bytes());
                text = text.replace(&hash, &format!("MANIFEST_{version}"));
            }
            text = text.replace(&format!("{} bytes", pack.component.len()), &format!("{name}_BYTES bytes"));
        }
        let now = std::time::SystemTime::now();
        let text = text.replace(bouncer::audit::timestamp(now).get(..10).unwrap(), "TODAY");
        // The moment of a record.
        let parts: Vec<&str> = text.split("TODAYT").collect();
        let rest = parts.iter().skip(1).map(|part| part.get(13..).unwrap());
        let text = parts.iter().take(1).copied().chain(rest).collect::<Vec<_>>().join("NOW");
        text.lines()
            .filter(|line| !line.contains("asked_outside_of"))
            .map(|line| format!("{line}\n"))
            .collect()
    }

    /// The same at a terminal, with this answer to its question.
    pub fn typed(&self, answer: &str, args: &[&str]) -> String {
        let bouncer = self.command(&[]);
        let mut command = Command::new("python3");
        command.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/servers/typed.py")).arg(answer);
        command.arg(bouncer.get_program()).args(args).current_dir(self.folder.path());
        command.env("BOUNCER_HOME", self.path("home")).env_remove("NO_COLOR").env("CLICOLOR_FORCE", "1");
        let out = command.stdin(Stdio::null()).output().unwrap();
        assert!(out.status.success(), "{out:?}");
        String::from_utf8(out.stdout).unwrap().replace('\r', "")
    }

    /// The command must succeed.
    pub fn done(&self, args: &[&str]) -> String {
        let said = self.says(args);
        assert!(said.starts_with("code 0\n"), "{args:?}: {said}");
        said
    }

    /// The command must fail, and say each of these.
    pub fn refuses(&self, args: &[&str], words: &[&str]) -> String {
        let said = self.says(args);
        assert!(said.starts_with("code 1\n") || said.starts_with("code 2\n"), "{args:?}: {said}");
        for word in words {
            assert!(said.contains(word), "no `{word}` in {said}");
        }
        // Whatever an attacker wrote steers no terminal.
        assert!(!said.chars().any(|c| c.is_control() && c != '\n'), "{said:?}");
        said
    }

    pub fn tgz(&self, name: &str, files: &[(&str, &[u8])]) {
        let mut builder =
            tar::Builder::new(flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast()));
        for (path, content) in files {
            let mut header = tar::Header::new_gnu();
            header.set_size(content.len() as u64);
            header.set_mode(0o644);
            builder.append_data(&mut header, path, *content).unwrap();
        }
        self.write(name, builder.into_inner().unwrap().finish().unwrap());
    }

    pub fn zip(&self, name: &str, files: &[(&str, &[u8])]) {
        let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
        for (path, content) in files {
            writer.start_file(*path, zip::write::SimpleFileOptions::default()).unwrap();
            writer.write_all(content).unwrap();
        }
        self.write(name, writer.finish().unwrap().into_inner());
    }
}
