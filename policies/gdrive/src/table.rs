//! What is known of the tools: `@modelcontextprotocol/server-gdrive` (which only reads), and the Drive tools
//! of `workspace-mcp`.

use bouncer_guest::Kind;
use bouncer_pack_table::{QUIET, Row, SENDS, Sink, Table, sink};

const FETCHED: &[Sink] = &[sink(&["/file_url"], Kind::Url)];

/// The arguments of the import tools that name nobody: the user's own file is written.
const IMPORTED: &[&str] = &[
    "/user_google_email",
    "/file_name",
    "/content",
    "/file_path",
    "/source_format",
    "/folder_id",
    "/base64_content",
    "/base64_sha256",
];

const IMPORTS: Row = Row { sinks: FETCHED, harmless: IMPORTED, evaluate: true, ..SENDS };

/// The table.
pub const TABLE: Table = Table {
    rows: &[
        Row {
            tool: "manage_drive_access",
            destroys: true,
            // An address or a domain: its form tells.
            sinks: &[
                sink(&["/share_with"], Kind::Unknown),
                sink(&["/recipients/*/email"], Kind::Email),
                sink(&["/recipients/*/domain"], Kind::Host),
                sink(&["/new_owner_email"], Kind::Email),
            ],
            harmless: &[
                "/user_google_email",
                "/file_id",
                "/action",
                "/role",
                "/share_type",
                "/permission_id",
                "/recipients/*/role",
                "/recipients/*/share_type",
                "/recipients/*/expiration_time",
                "/send_notification",
                "/email_message",
                "/expiration_time",
                "/allow_file_discovery",
                "/move_to_new_owners_root",
            ],
            evaluate: true,
            ..SENDS
        },
        Row {
            tool: "set_drive_file_permissions",
            harmless: &[
                "/user_google_email",
                "/file_id",
                "/link_sharing",
                "/writers_can_share",
                "/copy_requires_writer_permission",
            ],
            evaluate: true,
            ..SENDS
        },
        Row {
            tool: "create_drive_file",
            sinks: &[sink(&["/fileUrl"], Kind::Url)],
            harmless: &[
                "/user_google_email",
                "/file_name",
                "/content",
                "/folder_id",
                "/mime_type",
                "/base64_content",
                "/content_mime_type",
                "/base64_sha256",
            ],
            evaluate: true,
            ..SENDS
        },
        Row { tool: "import_to_google_doc", ..IMPORTS },
        Row { tool: "import_to_google_slides", ..IMPORTS },
        Row { tool: "import_to_google_sheets", ..IMPORTS },
        Row {
            tool: "update_drive_file",
            destroys: true,
            sinks: FETCHED,
            harmless: &[
                "/user_google_email",
                "/file_id",
                "/name",
                "/description",
                "/mime_type",
                "/add_parents",
                "/remove_parents",
                "/starred",
                "/trashed",
                "/writers_can_share",
                "/copy_requires_writer_permission",
                "/properties",
                "/content",
                "/file_path",
                "/source_format",
                "/mode",
            ],
            evaluate: true,
            ..SENDS
        },
        Row { tool: "create_drive_folder", harmless: &["/folder_name", "/parent_folder_id"], ..QUIET },
        Row {
            tool: "copy_drive_file",
            harmless: &["/new_name", "/parent_folder_id", "/copy_comments"],
            ..QUIET
        },
    ],
    quiet: &[
        "search",
        "search_drive_files",
        "get_drive_file_content",
        "get_drive_file_download_url",
        "list_drive_items",
        "get_drive_file_permissions",
        "check_drive_file_public_access",
        "get_drive_shareable_link",
    ],
    known: &[
        "corpora",
        "detailed",
        "drive_id",
        "export_format",
        "file_id",
        "file_name",
        "file_type",
        "folder_id",
        "include_items_from_all_drives",
        "include_organizers",
        "include_trashed",
        "order_by",
        "page_size",
        "page_token",
        "query",
        "resource_type",
        "user_google_email",
    ],
};
