//! What is known of the tools: `@gongrzhe/server-gmail-autoauth-mcp`, and the mail tools of `workspace-mcp`.

use bouncer_guest::Kind;
use bouncer_pack_table::{QUIET, Row, SENDS, Sink, Table, sink};

const RECIPIENTS: &[Sink] =
    &[sink(&["/to"], Kind::Email), sink(&["/cc"], Kind::Email), sink(&["/bcc"], Kind::Email)];

/// A deleted mail, label or filter is gone.
const DELETES: Row = Row { destroys: true, max_calls: Some(2), ..QUIET };

/// The table.
pub const TABLE: Table = Table {
    rows: &[
        Row { tool: "send_email", sinks: RECIPIENTS, evaluate: true, ..SENDS },
        // A draft is sent later by its id alone, so the step that names the recipients is the one to judge.
        Row { tool: "draft_email", sinks: RECIPIENTS, evaluate: true, ..SENDS },
        // A filter that forwards sends every mail to come.
        Row {
            tool: "create_filter",
            sinks: &[sink(&["/action/forward"], Kind::Email)],
            harmless: &["/criteria", "/action/addLabelIds", "/action/removeLabelIds"],
            ..SENDS
        },
        Row { tool: "create_filter_from_template", harmless: &["/template", "/parameters"], ..QUIET },
        Row { tool: "delete_email", ..DELETES },
        Row {
            tool: "batch_delete_emails",
            harmless: &["/messageIds", "/batchSize"],
            evaluate: true,
            ..DELETES
        },
        Row { tool: "delete_label", ..DELETES },
        Row { tool: "delete_filter", ..DELETES },
        Row {
            tool: "download_attachment",
            writes: &["/savePath"],
            harmless: &["/filename"],
            evaluate: true,
            ..QUIET
        },
        Row { tool: "send_gmail_message", sinks: RECIPIENTS, evaluate: true, ..SENDS },
        Row { tool: "draft_gmail_message", sinks: RECIPIENTS, evaluate: true, ..SENDS },
        Row {
            tool: "manage_gmail_filter",
            destroys: true,
            sinks: &[sink(&["/filter_action/forward"], Kind::Email)],
            harmless: &[
                "/user_google_email",
                "/action",
                "/criteria",
                "/filter_action/addLabelIds",
                "/filter_action/removeLabelIds",
                "/filter_id",
                "/dry_run",
                "/max_messages",
            ],
            evaluate: true,
            ..SENDS
        },
        Row { tool: "manage_gmail_label", destroys: true, harmless: &["/action"], evaluate: true, ..QUIET },
    ],
    quiet: &[
        "read_email",
        "search_emails",
        "modify_email",
        "list_email_labels",
        "batch_modify_emails",
        "create_label",
        "update_label",
        "get_or_create_label",
        "list_filters",
        "get_filter",
        "search_gmail_messages",
        "get_gmail_message_content",
        "get_gmail_messages_content_batch",
        "get_gmail_attachment_content",
        "get_gmail_thread_content",
        "get_gmail_threads_content_batch",
        "list_gmail_labels",
        "list_gmail_filters",
        "modify_gmail_message_labels",
        "batch_modify_gmail_message_labels",
    ],
    known: KNOWN,
};

const KNOWN: &[&str] = &[
    "addLabelIds",
    "add_label_ids",
    "attachmentId",
    "attachment_id",
    "attachment_index",
    "background_color",
    "batchSize",
    "body_format",
    "clear_color",
    "compact",
    "filterId",
    "format",
    "full",
    "id",
    "include_analysis",
    "include_headers",
    "include_links",
    "include_system",
    "labelIds",
    "labelListVisibility",
    "label_id",
    "label_list_visibility",
    "maxResults",
    "messageId",
    "messageIds",
    "messageListVisibility",
    "message_id",
    "message_ids",
    "message_list_visibility",
    "name",
    "page_size",
    "page_token",
    "prefix",
    "query",
    "removeLabelIds",
    "remove_label_ids",
    "return_base64",
    "text_color",
    "thread_id",
    "thread_ids",
    "user_google_email",
    "verify",
];
