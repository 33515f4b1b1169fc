//! Rules that say something of no tool: most are slips of the pen, and whoever wrote them believes that they hold.

use super::Policy;
use bouncer_core::shown::shown;
use strsim::damerau_levenshtein;

/// Letters that may differ in a name that was meant.
const SLIPS: usize = 2;

impl Policy {
    /// The rules that a person may believe to hold for the server's `tools` and that do not, in words. A rule for any
    /// server is one only where it is close to a tool's name: it may be for another server.
    #[must_use]
    pub fn strays(&self, server: &str, tools: &[&str]) -> Vec<String> {
        let near = |word: &str, other: &str| word != other && damerau_levenshtein(word, other) <= SLIPS;
        let mut out = Vec::new();
        for (of, tool) in self.tools() {
            // Not a tool but a method of the protocol.
            if tools.contains(&tool) || tool.contains('/') {
                continue;
            }
            let meant = tools.iter().find(|listed| tool.len() > SLIPS * 2 && near(tool, listed));
            let meant = meant.map(|listed| format!("; did you mean `{}`?", shown(listed, 80)));
            let (tool, named) = (shown(tool, 80), shown(server, 80));
            match (of, meant) {
                (Some(of), meant) if of == server => {
                    out.push(format!(
                        "the rule for `{tool}` of `{named}` matches none of its tools{}",
                        meant.unwrap_or_default()
                    ));
                }
                (None, Some(meant)) => {
                    out.push(format!("the rule for `{tool}` matches no tool of `{named}`{meant}"))
                }
                _ => {}
            }
        }
        let mut others: Vec<&str> = self.tools().filter_map(|(of, _)| of).collect();
        others.dedup();
        for of in others.into_iter().filter(|of| server.len() > SLIPS && near(of, server)) {
            out.push(format!(
                "rules for a server `{}` do not hold for `{}`; did you mean that?",
                shown(of, 80),
                shown(server, 80)
            ));
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use crate::policy::{Format, Policy};
    use std::path::Path;

    #[test]
    fn slips_of_the_pen_are_told_and_rules_for_other_servers_are_not() {
        let text = r#"
            [tools.sendmail]
            max_calls = 0
            [tools.write_file]
            max_calls = 1
            [servers.mial.tools.send_email]
            max_calls = 0
            [servers.mail.tools.gone]
            max_calls = 0
            [servers.chat.tools.post]
            max_calls = 0
        "#;
        let policy = Policy::parse(text, Format::Toml, Path::new("/"), Path::new("p.toml")).unwrap();
        let strays = policy.strays("mail", &["send_mail", "send_email", "read_email"]);
        assert_eq!(strays.len(), 3, "{strays:?}");
        let all = strays.join(" ");
        assert!(all.contains("`sendmail` matches no tool of `mail`; did you mean `send_mail`?"), "{all}");
        assert!(all.contains("`gone` of `mail`") && all.contains("`mial` do not hold for `mail`"), "{all}");
        assert!(policy.strays("files", &["write_file"]).is_empty());
    }
}
