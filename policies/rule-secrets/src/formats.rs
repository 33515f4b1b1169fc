//! How issuers write their keys and tokens: a beginning that nothing else has, and what follows it.

/// What may follow a beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Set {
    /// `0-9a-f`, in either case.
    Hex,
    /// Letters and digits.
    Alnum,
    /// Upper-case letters and digits.
    Upper,
    /// Letters, digits, `_` and `-`.
    Word,
    /// As [`Set::Word`], and `.`, `+`, `/`, `=`.
    Wide,
}

impl Set {
    /// Whether it holds this character.
    #[must_use]
    pub fn holds(self, c: char) -> bool {
        match self {
            Self::Hex => c.is_ascii_hexdigit(),
            Self::Alnum => c.is_ascii_alphanumeric(),
            Self::Upper => c.is_ascii_uppercase() || c.is_ascii_digit(),
            Self::Word => c.is_ascii_alphanumeric() || matches!(c, '_' | '-'),
            Self::Wide => c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '+' | '/' | '='),
        }
    }
}

/// Beginning, characters that follow, at least how many, and what it is.
pub type Format = (&'static str, Set, usize, &'static str);

/// Beginnings that are sure signs.
pub const FORMATS: &[Format] = &[
    ("AKIA", Set::Upper, 16, "an AWS access key"),
    ("ASIA", Set::Upper, 16, "an AWS session key"),
    ("ABIA", Set::Upper, 16, "an AWS access key"),
    ("ACCA", Set::Upper, 16, "an AWS access key"),
    ("ghp_", Set::Alnum, 36, "a GitHub token"),
    ("gho_", Set::Alnum, 36, "a GitHub token"),
    ("ghu_", Set::Alnum, 36, "a GitHub token"),
    ("ghs_", Set::Alnum, 36, "a GitHub token"),
    ("ghr_", Set::Alnum, 36, "a GitHub token"),
    ("github_pat_", Set::Word, 60, "a GitHub token"),
    ("glpat-", Set::Word, 20, "a GitLab token"),
    ("gldt-", Set::Word, 20, "a GitLab deploy token"),
    ("glrt-", Set::Word, 20, "a GitLab runner token"),
    ("glcbt-", Set::Word, 20, "a GitLab job token"),
    ("glptt-", Set::Word, 20, "a GitLab trigger token"),
    ("glsoat-", Set::Word, 20, "a GitLab token"),
    ("glagent-", Set::Word, 40, "a GitLab agent token"),
    ("xoxb-", Set::Word, 20, "a Slack token"),
    ("xoxp-", Set::Word, 20, "a Slack token"),
    ("xoxa-", Set::Word, 20, "a Slack token"),
    ("xoxr-", Set::Word, 20, "a Slack token"),
    ("xoxs-", Set::Word, 20, "a Slack token"),
    ("xoxc-", Set::Word, 20, "a Slack token"),
    ("xoxd-", Set::Wide, 20, "a Slack cookie"),
    ("xapp-", Set::Word, 20, "a Slack app token"),
    ("hooks.slack.com/services/", Set::Wide, 30, "the address of a Slack webhook"),
    ("discord.com/api/webhooks/", Set::Wide, 60, "the address of a Discord webhook"),
    ("sk_live_", Set::Alnum, 20, "a Stripe key"),
    ("rk_live_", Set::Alnum, 20, "a Stripe key"),
    ("sk_test_", Set::Alnum, 20, "a Stripe test key"),
    ("rk_test_", Set::Alnum, 20, "a Stripe test key"),
    ("whsec_", Set::Wide, 24, "the secret of a webhook"),
    ("SG.", Set::Wide, 60, "a SendGrid key"),
    ("sk-ant-", Set::Word, 40, "an Anthropic key"),
    ("sk-proj-", Set::Word, 40, "an OpenAI key"),
    ("sk-svcacct-", Set::Word, 40, "an OpenAI key"),
    ("sk-admin-", Set::Word, 40, "an OpenAI key"),
    ("sk-or-v1-", Set::Hex, 60, "an OpenRouter key"),
    ("pplx-", Set::Alnum, 40, "a Perplexity key"),
    ("gsk_", Set::Alnum, 40, "a Groq key"),
    ("xai-", Set::Alnum, 60, "an xAI key"),
    ("r8_", Set::Alnum, 37, "a Replicate token"),
    ("hf_", Set::Alnum, 30, "a Hugging Face token"),
    ("AIza", Set::Word, 35, "a Google API key"),
    ("GOCSPX-", Set::Word, 28, "a Google OAuth secret"),
    ("ya29.", Set::Word, 30, "a Google access token"),
    ("1//0", Set::Word, 40, "a Google refresh token"),
    ("npm_", Set::Alnum, 36, "an npm token"),
    ("pypi-AgE", Set::Word, 50, "a PyPI token"),
    ("rubygems_", Set::Hex, 48, "a RubyGems key"),
    ("dckr_pat_", Set::Word, 20, "a Docker Hub token"),
    ("dop_v1_", Set::Hex, 64, "a DigitalOcean token"),
    ("doo_v1_", Set::Hex, 64, "a DigitalOcean token"),
    ("dor_v1_", Set::Hex, 64, "a DigitalOcean token"),
    ("shpat_", Set::Hex, 32, "a Shopify token"),
    ("shpca_", Set::Hex, 32, "a Shopify token"),
    ("shppa_", Set::Hex, 32, "a Shopify token"),
    ("shpss_", Set::Hex, 32, "a Shopify secret"),
    ("sq0atp-", Set::Word, 22, "a Square token"),
    ("sq0csp-", Set::Word, 40, "a Square secret"),
    ("dapi", Set::Hex, 32, "a Databricks token"),
    ("lin_api_", Set::Alnum, 40, "a Linear key"),
    ("ntn_", Set::Alnum, 40, "a Notion token"),
    ("secret_", Set::Alnum, 40, "a Notion token"),
    ("ATATT3", Set::Wide, 100, "an Atlassian token"),
    ("dp.pt.", Set::Alnum, 40, "a Doppler token"),
    ("hvs.", Set::Word, 24, "a Vault token"),
    ("hvb.", Set::Word, 24, "a Vault token"),
    ("ops_eyJ", Set::Wide, 200, "a 1Password token"),
    ("AGE-SECRET-KEY-1", Set::Upper, 58, "an age key"),
    ("pscale_pw_", Set::Word, 32, "a PlanetScale password"),
    ("pscale_tkn_", Set::Word, 32, "a PlanetScale token"),
    ("PMAK-", Set::Word, 50, "a Postman key"),
    ("NRAK-", Set::Upper, 27, "a New Relic key"),
    ("glsa_", Set::Word, 38, "a Grafana token"),
    ("glc_", Set::Wide, 50, "a Grafana token"),
    ("sntrys_", Set::Wide, 40, "a Sentry token"),
    ("sntryu_", Set::Hex, 60, "a Sentry token"),
    ("sbp_", Set::Hex, 40, "a Supabase token"),
    ("figd_", Set::Word, 40, "a Figma token"),
    ("pul-", Set::Hex, 40, "a Pulumi token"),
    ("FlyV1 fm", Set::Wide, 60, "a Fly.io token"),
    ("tskey-", Set::Word, 24, "a Tailscale key"),
    ("key-", Set::Hex, 32, "a Mailgun key"),
    ("EZAK", Set::Alnum, 54, "an EasyPost key"),
];
