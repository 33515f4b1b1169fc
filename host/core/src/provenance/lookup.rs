//! What the recorded texts know of one destination.

use super::Index;
use super::excerpt;
use super::fold::fold;
use super::store::Hit;
use super::token::{self, Reading};
use super::{decode, near};
use crate::destination::{self, Destination, Kind};
use crate::evidence::{Evidence, Place, Sighting, Vouch};
use crate::shown::shown;

/// Forms of one value that are looked for.
const FORMS: usize = 24;

impl Index {
    /// What the index knows of `destination`; `vouch` is `Prompt` or `None` here, approvals and allowlists are others'
    /// matter. Depends on what was recorded only, never on timing.
    #[must_use]
    pub fn evidence(&self, destination: &Destination) -> Evidence {
        let mut e = Evidence {
            vouch: self.prompts.names(destination).then_some(Vouch::Prompt),
            directory: self.fields.directory(destination).map(|p| self.field_sighting(p, Place::Directory)),
            field: self.fields.field(destination).map(|p| self.field_sighting(p, Place::Field)),
            ..Evidence::default()
        };
        if e.directory.is_some()
            && e.field.as_ref().map(|s| (s.call, &s.pointer))
                == e.directory.as_ref().map(|s| (s.call, &s.pointer))
        {
            e.field = None;
        }
        let forms = forms(destination);
        let found = self.text_sighting(destination.kind, &forms);
        e.text = found.itself;
        e.visit = e.text.is_some() && destination.kind == Kind::Url;
        let unseen = e.vouch.is_none() && e.directory.is_none() && e.field.is_none() && e.text.is_none();
        if unseen {
            if destination.kind == Kind::Url {
                e.composed = self.composed(destination);
            }
            e.near = found
                .related
                .map(|s| ("stands inside something longer".to_owned(), s))
                .or_else(|| near::near(self, destination));
        }
        if e.text.is_none() {
            // A text that is not, or no longer, known may hold what a directory or a field holds too.
            e.unreliable = self.incomplete();
            if e.unreliable.is_none() && e.directory.is_none() && e.field.is_none() {
                e.unreliable = self.unreliable(&forms);
            }
        }
        e
    }

    /// Why some texts cannot be looked into.
    fn incomplete(&self) -> Option<String> {
        if self.texts.forgotten > 0 {
            return Some(format!("answers up to number {} are no longer kept", self.texts.forgotten));
        }
        if self.undecoded > 0 {
            return Some(format!("answer {} holds more encoded text than is decoded", self.undecoded));
        }
        None
    }

    fn unreliable(&self, forms: &[String]) -> Option<String> {
        if self.fields.full {
            return Some("more fields were seen than are kept".to_owned());
        }
        let sound = forms.iter().any(|f| f.chars().filter(|c| c.is_alphanumeric()).nth(1).is_some());
        (!sound).then(|| "too short to be told from other words".to_owned())
    }

    pub(super) fn sighting(&self, hit: Hit<'_>, place: Place) -> Sighting {
        let (server, tool) = self.named(hit.origin.call);
        let value = hit.segment.get(hit.start..hit.end).unwrap_or("");
        let mut excerpt = excerpt::around(hit.before(), value, hit.after());
        if let Some(via) = hit.via {
            excerpt = format!("(from {via}) {excerpt}").chars().take(160).collect();
        }
        Sighting {
            server,
            tool,
            call: hit.origin.call,
            place,
            pointer: hit.origin.pointer.to_string(),
            excerpt,
        }
    }

    pub(super) fn field_sighting(&self, at: &super::fields::Place, place: Place) -> Sighting {
        let (server, tool) = self.named(at.call);
        let excerpt = excerpt::around("", &at.value, "");
        Sighting { server, tool, call: at.call, place, pointer: at.pointer.to_string(), excerpt }
    }

    fn text_sighting(&self, kind: Kind, forms: &[String]) -> Found {
        let mut found = Found::default();
        for form in forms {
            self.texts.find(form, |hit| {
                if hit.origin.field && hit.is_whole() {
                    return false;
                }
                match token::read(kind, hit.before(), form, hit.after()) {
                    Reading::Itself => {
                        found.itself = Some(self.sighting(hit, Place::Text));
                        true
                    }
                    Reading::Related => {
                        if found.related.is_none() {
                            found.related = Some(self.sighting(hit, Place::Text));
                        }
                        false
                    }
                    Reading::Nothing => false,
                }
            });
            if found.itself.is_some() {
                break;
            }
        }
        found
    }

    /// A URL that is not verbatim in any text though its host, or the domain above it, is.
    fn composed(&self, d: &Destination) -> Option<(String, Sighting)> {
        let parts = destination::url_parts(&d.canonical)?;
        let host_named = |h: &str| {
            let dest = Destination::new(Kind::Host, h, h.to_owned(), "");
            self.prompts.names(&dest) || self.fields.host(h).is_some()
        };
        if host_named(&parts.host) {
            return None;
        }
        let hosts = std::iter::once(parts.host.as_str()).chain(destination::parents(&parts.host));
        for host in hosts {
            let seen = self.text_sighting(Kind::Host, &host_forms(host)).itself;
            if let Some(s) = seen {
                let what = if host == parts.host {
                    format!(
                        "the host `{}` stands in a text, the rest of the address does not",
                        shown(host, 80)
                    )
                } else {
                    format!("`{}` stands in a text, the address below it does not", shown(host, 80))
                };
                return Some((what, s));
            }
        }
        None
    }
}

#[derive(Default)]
struct Found {
    itself: Option<Sighting>,
    related: Option<Sighting>,
}

/// The folded forms under which a destination may stand in a text.
pub(super) fn forms(d: &Destination) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut add = |t: &str| {
        let f = fold(t);
        if !f.is_empty() && !out.contains(&f) && out.len() < FORMS {
            out.push(f);
        }
    };
    match d.kind {
        Kind::Url => {
            for text in [d.canonical.as_str(), d.raw.trim()] {
                let bare = text.split_once("://").map_or(text, |(_, rest)| rest).trim_end_matches('/');
                add(bare);
                if let Some((host, rest)) = bare.split_once('/') {
                    add(&format!("{}/{rest}", unicode_host(host)));
                } else {
                    add(&unicode_host(bare));
                }
            }
        }
        Kind::Host => host_forms(&d.canonical).iter().for_each(|h| add(h)),
        Kind::Email => {
            add(&d.canonical);
            if let Some((local, domain)) = d.canonical.rsplit_once('@') {
                add(&format!("{local}@{}", unicode_host(domain)));
            }
            add(&d.raw);
        }
        Kind::Channel | Kind::User => {
            add(&d.canonical);
            add(destination::bare_name(&d.raw));
        }
        _ => {
            add(&d.canonical);
            add(&d.raw);
        }
    }
    for v in decode::variants(&d.raw, &fold(&d.raw)).found {
        add(&v.folded);
    }
    out
}

fn host_forms(host: &str) -> Vec<String> {
    let mut out = vec![host.to_owned()];
    let unicode = unicode_host(host);
    if unicode != host {
        out.push(unicode);
    }
    out
}

fn unicode_host(host: &str) -> String {
    idna::domain_to_unicode(host).0
}
