//! `review_mcp_security`: what a server's tools could be used for, and what to write down against it.

use super::super::house::{House, Wrong};
use super::super::untrusted::visible;
use super::{Given, Room, definitions};

pub(super) const ROOM: Room = Room {
    name: "review_mcp_security",
    title: "Review a server",
    description: "Reviews the tools of an MCP server: what can carry data out, what can lose something, and what its descriptions try to talk a model into",
    arguments: &[
        ("server_name", "The user's name for the server", true),
        (
            "tool_definitions",
            "Its tools: a `tools/list` result, a list of definitions as JSON, or a description in words; otherwise what is pinned for it",
            false,
        ),
    ],
    text,
};

const TASK: &str = "\
Work through these, tool by tool, and name the tool and the argument each time:
1. Which tools can carry data to somebody: by an address, a link, a channel, a repository, a file that others read? Which argument says to whom?
2. Which tools can lose or overwrite something for good, pay, or change who may read what?
3. Which arguments are paths, and where should they be confined to?
4. Which tools bring in text that outsiders wrote (mails, pages, issues, documents)? What does a planted instruction in it reach by the tools of 1 and 2?
5. Does any description or schema try to instruct a model: to call another tool first, to hide something from the user, to put data where it does not belong? Does it hold invisible characters? Does it contradict its own name or annotations?
6. What does Bouncer know of already (a pack, or by the schema), and what does it miss?

Then give: a table of the tools with their risk, the worst chain of two or three calls that you found, and the lines of a Bouncer policy that would stop it. Check these lines with the tool `bouncer_verify_policy`, and the chain with `bouncer_check_verdict`, before you show them.";

fn text(house: &House, given: &Given<'_>) -> Result<String, Wrong> {
    let server = given.text("server_name").unwrap_or_default();
    let name = visible(&server.replace(['\n', '`'], " "));
    let mut out = format!(
        "Review the MCP server that the user calls `{name}` for a client behind Bouncer, a local proxy that decides for each tool call whether its destination may receive the value, by where the value came from.\n\n"
    );
    match definitions::of(house, server, given.text("tool_definitions"))? {
        Some(definitions) => {
            out.push_str(&format!("Its definitions, {}.\n\n", definitions.from));
            out.push_str(&definitions.fenced()?);
            out.push('\n');
            out.push_str(&definitions.made_of(house)?);
        }
        None => out.push_str(
            "Nothing is pinned for a server of this name: it has not run behind Bouncer yet. Ask the user for the server's `tools/list` result, and give it to this prompt as `tool_definitions`; do not make tools up.\n",
        ),
    }
    out.push('\n');
    out.push_str(TASK);
    Ok(out)
}
