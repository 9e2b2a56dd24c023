//! The settings that a client reads from its environment. Each test runs in a child process with its own environment.

use std::process::Command;

use workflow_execution_service::Client;

use super::samples::service;

/// The `Debug` output of a client with this environment.
fn client_with(environment: &[(&str, &str)]) -> String {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "environment::child", "--ignored", "--nocapture"])
        .env_remove("SERVICE_TOKEN")
        .env_remove("SERVICE_API_BASE_URL")
        .env_remove("SERVICE_RUNTIME_URL")
        .envs(environment.iter().copied())
        .output()
        .unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{printed}");
    let debug = printed.lines().find_map(|line| line.split_once("client: "));
    debug.map(|(_, text)| text.to_owned()).unwrap()
}

#[test]
#[ignore = "the other tests run it in their own environments"]
fn child() {
    println!("client: {:?}", Client::from_env());
}

#[test]
fn the_address_is_chosen_by_the_process_environment() {
    let local = client_with(&[("SERVICE_API_BASE_URL", "https://hosted.example")]);
    assert!(
        local.contains(r#"base_url: "http://127.0.0.1:3477", has_token: false"#),
        "{local}"
    );
    let runtime = client_with(&[("SERVICE_TOKEN", ""), ("SERVICE_RUNTIME_URL", "http://localhost:9/")]);
    assert!(
        runtime.contains(r#"base_url: "http://localhost:9", has_token: false"#),
        "{runtime}"
    );
    let hosted = client_with(&[("SERVICE_TOKEN", "wes_secret"), ("SERVICE_RUNTIME_URL", "http://no")]);
    assert!(
        hosted.contains(r#"example", has_token: true"#) && hosted.contains("https://api."),
        "{hosted}"
    );
    let own = client_with(&[
        ("SERVICE_TOKEN", "wes_secret"),
        ("SERVICE_API_BASE_URL", "https://own.example"),
    ]);
    assert!(
        own.contains(r#"base_url: "https://own.example", has_token: true"#),
        "{own}"
    );
    assert!(!hosted.contains("wes_secret") && !own.contains("wes_secret"));
}

#[cfg(unix)]
#[test]
fn a_token_that_is_not_unicode_is_refused() {
    use std::os::unix::ffi::OsStrExt;
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "environment::child", "--ignored", "--nocapture"])
        .env("SERVICE_TOKEN", std::ffi::OsStr::from_bytes(b"\xff"))
        .output()
        .unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(
        printed.contains("SERVICE_TOKEN contains characters that are not valid in a header"),
        "{printed}"
    );
}

#[tokio::test]
async fn variables_are_looked_up_with_the_builders_function() {
    let server = service();
    let url = server.url.clone();
    let builder = Client::builder().environment(move |name| match name {
        "SERVICE_TOKEN" => Some("wes_secret".to_owned()),
        "SERVICE_API_BASE_URL" => Some(url.clone()),
        _ => None,
    });
    builder.build().unwrap().whoami().await.unwrap();
    assert_eq!(server.received()[0].header("authorization"), Some("Bearer wes_secret"));
}
