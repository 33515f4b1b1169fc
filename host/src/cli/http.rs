//! The options of `bouncer run` that have to do with HTTP, and what they come to.

use super::Failure;
use crate::http::serve::{Listen, SHORTEST_TOKEN, hash};
use crate::http::target::{Remote, Target, Transport, parse};
use clap::{Args, ValueEnum};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

/// The variable that holds the listener's token where no file is named.
const TOKEN: &str = "BOUNCER_LISTEN_TOKEN";

#[derive(Debug, Args)]
#[command(next_help_heading = "HTTP")]
pub(super) struct HttpArgs {
    /// The URL of a remote server, in place of a program or an entry
    #[arg(long, value_name = "URL", conflicts_with_all = ["config", "command"])]
    pub(super) url: Option<String>,
    /// A header for the remote server, as in `Authorization: Bearer ${TOKEN}`; may be given several times. `${NAME}` is
    /// filled in from the environment, so that no secret need stand on a command line
    #[arg(long, value_name = "NAME: VALUE", requires = "url")]
    header: Vec<String>,
    /// The transport that the remote server speaks; by default streamable HTTP, and SSE where it does not
    #[arg(long, value_enum, requires = "url")]
    transport: Option<Spoken>,
    /// Serve streamable HTTP on this address (`127.0.0.1:8080`) at `/mcp`, in place of stdin and stdout; each session
    /// gets a server of its own
    #[arg(long, value_name = "ADDRESS:PORT")]
    listen: Option<String>,
    /// A file with the token that clients must send as `Authorization: Bearer TOKEN`; needed where others than this
    /// machine can connect. Otherwise the variable BOUNCER_LISTEN_TOKEN
    #[arg(long, value_name = "FILE", requires = "listen")]
    token_file: Option<PathBuf>,
    /// A web page's origin (`https://app.example`) that may speak to the listener; may be given several times
    #[arg(long, value_name = "ORIGIN", requires = "listen")]
    allow_origin: Vec<String>,
    /// A name beside `localhost` that clients may call the listener by; may be given several times
    #[arg(long, value_name = "HOST", requires = "listen")]
    allow_host: Vec<String>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Spoken {
    /// Streamable HTTP
    Http,
    /// HTTP with SSE, of the first revision
    Sse,
}

impl HttpArgs {
    /// The remote server of the command line.
    pub(super) fn remote(&self) -> Result<Option<Remote>, Failure> {
        let Some(url) = self.url.clone() else { return Ok(None) };
        let header = |text: &String| {
            let (name, value) = text.split_once(':').ok_or_else(|| {
                Failure::usage("a `--header` has no colon\nhint: `--header 'Authorization: Bearer ${TOKEN}'`")
            })?;
            Ok((name.trim().to_owned(), value.trim().to_owned()))
        };
        let headers = self.header.iter().map(header).collect::<Result<_, Failure>>()?;
        let transport = match self.transport {
            None => Transport::Either,
            Some(Spoken::Http) => Transport::Streamable,
            Some(Spoken::Sse) => Transport::Sse,
        };
        Ok(Some(Remote { url, transport, headers }))
    }

    /// Where to listen, and to whom.
    pub(super) fn listen(&self) -> Result<Option<Listen>, Failure> {
        let Some(text) = &self.listen else { return Ok(None) };
        let local = text.strip_prefix("localhost:").map(|port| format!("{}:{port}", Ipv4Addr::LOCALHOST));
        let address: SocketAddr = local.as_deref().unwrap_or(text).parse().map_err(|_| {
            Failure::usage(format!(
                "`{text}` is not an address and a port\nhint: as in `--listen 127.0.0.1:8080`"
            ))
        })?;
        let token = self.token()?;
        if token.is_none() && !address.ip().is_loopback() {
            return Err(Failure::usage(format!(
                "`{address}` can be reached from other machines, and no token is set\nhint: `--token-file FILE`, or listen on 127.0.0.1"
            )));
        }
        for origin in &self.allow_origin {
            let is_whole =
                parse(origin).is_ok_and(|url| matches!(url.path(), "" | "/") && url.query().is_none());
            if !is_whole {
                return Err(Failure::usage(format!(
                    "`{origin}` is not the origin of a page\nhint: scheme, host and port, as in `https://app.example`"
                )));
            }
        }
        Ok(Some(Listen {
            address,
            hosts: self.allow_host.clone(),
            origins: self.allow_origin.clone(),
            token,
        }))
    }

    fn token(&self) -> Result<Option<[u8; 32]>, Failure> {
        let (place, text) = match &self.token_file {
            Some(file) => {
                let text = std::fs::read_to_string(file)
                    .map_err(|error| Failure::usage(format!("cannot read `{}`: {error}", file.display())))?;
                (format!("`{}`", file.display()), text)
            }
            None => match std::env::var(TOKEN) {
                Ok(text) => (format!("the variable {TOKEN}"), text),
                Err(std::env::VarError::NotPresent) => return Ok(None),
                Err(std::env::VarError::NotUnicode(_)) => {
                    return Err(Failure::usage(format!("the variable {TOKEN} is not UTF-8")));
                }
            },
        };
        let token = text.trim();
        if token.len() < SHORTEST_TOKEN || !token.bytes().all(|b| b.is_ascii_graphic()) {
            return Err(Failure::usage(format!(
                "the token in {place} is no token: at least {SHORTEST_TOKEN} visible ASCII characters\nhint: `openssl rand -hex 32`"
            )));
        }
        Ok(Some(hash(token.as_bytes())))
    }
}

/// Fills in a remote server's variables and checks it.
pub(super) fn resolve(remote: &Remote) -> Result<Target, Failure> {
    remote.resolve().map_err(Failure::usage)
}

/// What a remote server is called where the user gave it no name: its host.
pub(super) fn name_of(target: &Target) -> String {
    target.url.host().unwrap_or("server").to_owned()
}
