//! What is known of the tools: `@modelcontextprotocol/server-slack`, and `slack-mcp-server` by korotovsky.

use bouncer_guest::Kind;
use bouncer_pack_table::{QUIET, Row, SENDS, Sink, Table, sink};

const CHANNEL: &[Sink] = &[sink(&["/channel_id"], Kind::Channel)];

/// The table.
pub const TABLE: Table = Table {
    rows: &[
        Row { tool: "slack_post_message", sinks: CHANNEL, harmless: &["/text"], evaluate: true, ..SENDS },
        Row {
            tool: "slack_reply_to_thread",
            sinks: CHANNEL,
            harmless: &["/thread_ts", "/text"],
            evaluate: true,
            ..SENDS
        },
        // Ids and names of channels and members are the workspace's; topics, purposes and profiles are texts of others.
        Row { tool: "slack_list_channels", directories: &["/channels/*/id", "/channels/*/name"], ..QUIET },
        Row { tool: "slack_get_users", directories: &["/members/*/id", "/members/*/name"], ..QUIET },
        Row {
            tool: "conversations_add_message",
            sinks: CHANNEL,
            harmless: &["/text", "/blocks", "/content_type", "/thread_ts"],
            evaluate: true,
            ..SENDS
        },
        // Who is put into a group is notified and reads where the group reads; those left out are removed from it.
        Row {
            tool: "usergroups_users_update",
            destroys: true,
            sinks: &[sink(&["/users"], Kind::User)],
            harmless: &["/usergroup_id"],
            evaluate: true,
            ..SENDS
        },
        Row { tool: "saved_clear_completed", destroys: true, max_calls: Some(2), ..QUIET },
    ],
    quiet: &[
        "slack_add_reaction",
        "slack_get_channel_history",
        "slack_get_thread_replies",
        "slack_get_user_profile",
        "attachment_get_data",
        "channels_list",
        "channels_me",
        "conversations_history",
        "conversations_join",
        "conversations_leave",
        "conversations_mark",
        "conversations_replies",
        "conversations_search_messages",
        "conversations_unreads",
        "reactions_add",
        "reactions_remove",
        "saved_list",
        "saved_update",
        "usergroups_list",
        "users_search",
    ],
    known: &[
        "channel_id",
        "channel_types",
        "cursor",
        "date_due",
        "emoji",
        "file_id",
        "filter",
        "filter_date_after",
        "filter_date_before",
        "filter_date_during",
        "filter_date_on",
        "filter_in_channel",
        "filter_in_im_or_mpim",
        "filter_threads_only",
        "filter_users_from",
        "filter_users_with",
        "include_activity_messages",
        "include_count",
        "include_disabled",
        "include_messages",
        "include_muted",
        "include_users",
        "item_id",
        "limit",
        "mark",
        "max_channels",
        "max_messages_per_channel",
        "max_messages_per_item",
        "mentions_only",
        "query",
        "query_targets",
        "reaction",
        "search_query",
        "sort",
        "thread_ts",
        "timestamp",
        "ts",
        "user_id",
    ],
};
