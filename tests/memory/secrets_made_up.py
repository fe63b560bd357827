"""Secrets of many kinds, made up, as they stand in notes; built when they are needed.

None is whole in this file, so that no scanner takes this repository for a leak, and none
has ever opened anything: the random parts come from a fixed seed.
"""

from __future__ import annotations

import base64
import json
import random
import string

LETTERS = string.ascii_letters
ALNUM = string.ascii_letters + string.digits
LOWER = string.ascii_lowercase + string.digits
UPPER = string.ascii_uppercase + "234567"
HEX = "0123456789abcdef"
URLSAFE = ALNUM + "-_"
BASE64 = ALNUM + "+/"


def made(length: int, alphabet: str, seed: int) -> str:
    """So many characters, always the same for a seed, with a digit and a letter in them."""
    dice = random.Random(f"{seed}/{length}/{alphabet}")
    while True:
        text = "".join(dice.choice(alphabet) for _ in range(length))
        if any(char.isdigit() for char in text) and any(
            char.isalpha() for char in text
        ):
            return text


def _jwt(seed: int) -> str:
    def part(value: object) -> str:
        raw = json.dumps(value).encode()
        return base64.urlsafe_b64encode(raw).decode().rstrip("=")

    head = part({"alg": "HS256", "typ": "JWT"})
    return f"{head}.{part({'sub': seed, 'name': 'Nobody'})}.{made(43, URLSAFE, seed)}"


def _key_block(kind: str, seed: int, *, lines: int = 4, eol: str = "\n") -> str:
    body = [made(64, BASE64, seed + at) for at in range(lines)]
    dashes = "-" * 5
    what = f"{kind} PRI" + "VATE KEY"
    return eol.join(
        [
            f"{dashes}BEGIN {what.strip()}{dashes}",
            *body,
            f"{dashes}END {what.strip()}{dashes}",
        ]
    )


def secrets() -> dict[str, tuple[str, str]]:  # noqa: PLR0915 a line a kind
    """Name of the kind -> (the text it stands in, the value that must not get out)."""
    found: dict[str, tuple[str, str]] = {}

    def add(name: str, value: str, text: str = "- key: {}") -> None:
        assert name not in found
        found[name] = (text.replace("{}", value), value)

    # key formats that the scanner knows
    add("aws access key", "AK" + "IA" + made(16, UPPER, 1), "aws_access_key_id = {}")
    add("aws temporary key", "AS" + "IA" + made(16, UPPER, 2), "uses `{}` for now")
    add("aws documentation key", "AK" + "IA" + "IOSFODNN7" + "EXAMPLE")
    add("aws secret", made(40, BASE64, 3), "aws_secret_access_key = '{}'")
    add("artifactory api key", "AK" + "C" + made(69, ALNUM, 4), "repo key {} works")
    add("artifactory password", "AP" + "5" + made(32, ALNUM, 5), "artifactory: {}")
    add("azure storage", made(86, BASE64, 6) + "==", "Account" + "Key={}")
    add(
        "basic auth",
        made(14, ALNUM, 7),
        "git clone https://ci:{}@git.example.com/a.git",
    )
    add("cloudant", made(64, HEX, 8), "cloudant_password: {}")
    add(
        "discord bot", f"M{made(23, ALNUM, 9)}.{made(6, ALNUM, 9)}.{made(27, ALNUM, 9)}"
    )
    for at, kind in enumerate(("ghp", "gho", "ghu", "ghs", "ghr")):
        add(f"github {kind}", f"{kind}_{made(36, ALNUM, 10 + at)}", "GITHUB_TOKEN={}")
    for at, kind in enumerate(("glpat", "gldt", "glrt", "glft")):
        add(f"gitlab {kind}", f"{kind}-{made(20, URLSAFE, 20 + at)}", "CI needs {}")
    add("ibm cloud iam", made(44, URLSAFE, 25), "ibm_cloud_api_key: {}")
    add("ibm cos", made(48, HEX, 26), 'cos_secret_access_key="{}"')
    add("json web token", _jwt(27), "session {} expires tomorrow")
    add("mailchimp", f"{made(32, LOWER, 28)}-us12", "newsletter: {}")
    add(
        "npm registry",
        "npm" + "_" + made(36, ALNUM, 29),
        "//npm.example.com/:_authToken={}",
    )
    add("openai old", f"sk-{made(20, ALNUM, 30)}T3Blbk" + f"FJ{made(20, ALNUM, 31)}")
    add("pypi", "pypi-" + "AgEIcHlwaS5vcmc" + made(90, URLSAFE, 32), "twine -p {}")
    add("sendgrid", f"SG.{made(22, URLSAFE, 33)}.{made(43, URLSAFE, 34)}")
    add(
        "slack bot",
        f"xoxb-{made(11, string.digits + 'a', 35).replace('a', '1')}-123456789012-{made(24, ALNUM, 35)}",
    )
    add(
        "slack webhook",
        "https://hooks.slack"
        f".com/services/T{made(8, UPPER, 36)}/B{made(8, UPPER, 37)}/{made(24, ALNUM, 38)}",
        "alerts go to {}",
    )
    add("softlayer", made(64, LOWER, 39), "softlayer_api_key = {}")
    add("square oauth", "sq0" + "csp-" + made(43, URLSAFE, 40))
    add("stripe live", "sk_" + "live_" + made(24, ALNUM, 41), "Stripe: {}")
    add("stripe restricted", "rk_" + "live_" + made(24, ALNUM, 42), "`{}`")
    add("telegram bot", f"1234567890:{made(35, URLSAFE, 43)}", "the bot is {}")
    add("twilio account", "A" + "C" + made(32, HEX, 44), "Twilio {}")
    add("twilio key", "S" + "K" + made(32, HEX, 45), "Twilio {}")
    # formats that it does not know, or in an older form
    add("github fine-grained", "github" + "_pat_" + made(82, ALNUM + "_", 50))
    add(
        "anthropic",
        "sk-" + "ant-api03-" + made(93, URLSAFE, 51),
        "export ANTHROPIC_API_KEY={}",
    )
    add("openai project", "sk-" + "proj-" + made(120, URLSAFE, 52), "OPENAI_API_KEY={}")
    add("openrouter", "sk-" + "or-v1-" + made(64, HEX, 53))
    add("deepseek", "sk-" + made(32, HEX, 54), "密钥：{}")  # noqa: RUF001 Chinese
    add("groq", "gs" + "k_" + made(52, ALNUM, 55))
    add("hugging face", "h" + "f_" + made(34, LETTERS + "7", 56), "login with {}")
    add("google api", "AI" + "za" + made(35, URLSAFE, 57), "maps {} in index.html")
    add("google oauth", "ya" + "29." + made(60, URLSAFE, 58))
    add("google client", "GO" + "CSPX-" + made(28, URLSAFE, 59))
    add("digitalocean", "dop" + "_v1_" + made(64, HEX, 60))
    add("shopify", "shp" + "at_" + made(32, HEX, 61))
    add("docker hub", "dckr" + "_pat_" + made(27, URLSAFE, 62), "docker login -p {}")
    add("npm token", "npm" + "_" + made(36, ALNUM, 63), "NPM_TOKEN={}")
    add("slack app", f"xapp-1-A{made(10, UPPER, 64)}-1234567890123-{made(64, HEX, 65)}")
    add("stripe test", "sk_" + "test_" + made(24, ALNUM, 66))
    add("stripe webhook", "wh" + "sec_" + made(32, ALNUM, 67))
    add("vault", "hv" + "s." + made(90, URLSAFE, 68), "VAULT_TOKEN={}")
    add("databricks", "da" + "pi" + made(32, HEX, 69))
    add("linear", "lin" + "_api_" + made(40, ALNUM, 70))
    add("notion", "nt" + "n_" + made(46, ALNUM, 71))
    add("grafana", "gl" + f"sa_{made(32, ALNUM, 72)}_{made(8, HEX, 72)}")
    add("new relic", "NR" + "AK-" + made(27, UPPER, 73))
    add("postman", "PM" + f"AK-{made(24, HEX, 74)}-{made(34, HEX, 75)}")
    add("age", "AGE-SECRET" + "-KEY-1" + made(58, UPPER, 76))
    add("supabase", "sb" + "p_" + made(40, HEX, 77))
    add("terraform", f"{made(14, ALNUM, 78)}.atlas" + f"v1.{made(67, ALNUM, 79)}")
    add("tailscale", "tskey-" + f"auth-k{made(10, ALNUM, 80)}-{made(32, ALNUM, 81)}")
    add(
        "discord webhook",
        f"https://discord.com/api/webhooks/123456789012345678/{made(68, URLSAFE, 82)}",
    )
    add("azure service bus", made(43, BASE64, 83) + "=", "SharedAccess" + "Key={}")
    add("alibaba", "LT" + "AI" + made(20, ALNUM, 84))
    # private keys
    for at, kind in enumerate(("RSA", "EC", "DSA", "OPENSSH", "ENCRYPTED", "")):
        add(f"private key {kind}", _key_block(kind, 100 + at), "```\n{}\n```")
    add(
        "private key in json", _key_block("", 110, eol="\\n"), '"private_key": "{}\\n",'
    )
    add("private key quoted", _key_block("RSA", 111, eol="\n> "), "> {}")
    add("private key, half", _key_block("RSA", 112).rpartition("\n")[0], "{}")
    add("private key, one line", _key_block("EC", 113, lines=1), "{}")
    # in URLs
    add(
        "postgres",
        "hunter2" + "hunter2",
        "DATABASE_URL=postgres://app:{}@db.internal:5432/app",
    )
    add(
        "mongodb",
        "S3cr3t" + "!pass",
        "mongodb+srv://root:{}@cluster0.abcde.mongodb.net/x",
    )
    add("redis", made(20, ALNUM, 120), "redis://:{}@cache:6379/0")
    add("amqp", "gu3st" + "pw", "the broker (amqp://svc:{}@mq:5672) is up")
    add("token in a url", made(40, HEX, 121), "https://{}@github.com/org/repo.git")
    add(
        "query",
        made(32, ALNUM, 122),
        "curl 'https://api.example.com/v1?access_token={}'",
    )
    # assigned to a name
    add("env file", made(20, ALNUM, 130), "DB_PASSWORD={}")
    add("env file, weak", "hunter" + "22", "MYSQL_ROOT_PASSWORD={}")
    add("yaml", "Tr0ub4dor" + "&3", 'password: "{}"')
    add("prose", "S0mmer" + "2026!", "Login: admin, password: {}")
    add("said", "Xy7" + "$kQ9pLm", "the admin password is {}")
    add("markdown", made(16, ALNUM, 131), "- **Password:** `{}`")
    add("table", made(24, ALNUM, 132), "| api key | {} |")
    add(
        "json",
        made(32, URLSAFE, 133),
        '{"apiKey": "{}", "id": 7}'.replace("{}", "{}", 1),
    )
    add("python", made(18, ALNUM, 134), 'password: str = "{}"')
    add("golang", made(24, ALNUM, 135), 'token := "{}"')
    add("ruby", made(64, HEX, 136), "SECRET_KEY_BASE={}")
    add("oauth client", made(40, HEX, 137), "client_secret: {}".replace(": ", "="))
    add(
        "uuid key", "b1946ac9-2492-4d23-8f7a-" + made(12, HEX, 138), "HEROKU_API_KEY={}"
    )
    add("xml", "Pa55" + "word!x", "<password>{}</password>")
    add("flag", made(16, ALNUM, 139), "ran `deploy --token {} --env prod`")
    add("curl", "Qw3rty" + "Uiop", "curl -u admin:{} https://ci.example.com")
    add("bearer", made(40, ALNUM, 140), "-H 'Authorization: Bearer {}'")
    add("netrc", made(16, ALNUM, 141), "machine api.example.com login bot password {}")
    add("sql", "Gr4nt" + "ed#now", "CREATE USER app IDENTIFIED BY '{}'")
    add("sshpass", "R00t" + "Pass9", "sshpass -p '{}' ssh root@host")
    add("pgpassword", "p0st" + "gr3s", "PGPASSWORD={} psql -h db")
    add("chinese", "Zh0ng" + "wen88", "数据库密码：{}")  # noqa: RUF001 Chinese
    add("chinese said", "Kou1ing" + "X9", "口令是{}")
    add(
        "json in json",
        "hunter" + "2fish",
        '"body": "{\\"user\\": \\"a\\", \\"password\\": \\"{}\\"}"',
    )
    add(
        "aws documentation secret",
        "wJalrXUtnFEMI" + "/K7MDENG/bPxRfiCY" + "EXAMPLEKEY",
        "aws_secret_access_key = {}",
    )
    add("of one letter", "gh" + "p_" + 36 * "a", "token {}")
    add("letters alone", "abcdefghijkl" + "mnopqrstuvwx", "client_secret={}")
    add("weak and odd", "P@ss" + "w0rd", "password: {}")
    add("german", "geheim" + "123", "Passwort: {}")
    add(
        "connection string",
        "Sup3r" + "S3cret",
        "Server=x;User Id=sa;Password={}!;Encrypt=yes",
    )
    add("api key said", made(32, HEX, 143), "- api-key: {}")
    add("camel", made(32, ALNUM, 142), "clientSecret = '{}'")
    return found
