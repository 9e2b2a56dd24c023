#!/usr/bin/env bash
# A tour of the hosted service: starts it, deploys a project with effects, starts, sends and cancels Executions, calls a
# webhook, lets a schedule fire, and kills PostgreSQL, Restate and the whole service in between. Exits with 1 when
# something is not as it should be. Needs `npm ci` and curl, takes about half a minute, and leaves nothing behind.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

node=node_modules/.bin/node
wes() { "$node" src-cli/wes.mjs "$@"; }
say() { printf '\n%s\n' "$*"; }
fail() { printf '\nNot as expected: %s\n' "$*" >&2 && exit 1; }
equal() { [ "$2" = "$3" ] || fail "$1: $2 instead of $3"; }

# Prints a JavaScript expression of the JSON on standard input, `it`.
read_json() { "$node" -e 'const it = JSON.parse(require("fs").readFileSync(0, "utf8"))
  console.log(eval(process.argv[1]))' "$1"; }

# Repeats a command until it succeeds, for three minutes at most.
until_ok() {
  local end=$((SECONDS + 180))
  until "$@"; do
    ((SECONDS < end)) || fail "this did not succeed within three minutes: $*"
    sleep 0.1
  done
}

tour=$(mktemp -d)
data=$tour/data
service=
leave_nothing() {
  [ -z "$service" ] || kill -9 "$service" 2>/dev/null || true
  wait 2>/dev/null || true
  while pgrep -f "$data" >/dev/null; do sleep 0.1; done
  rm -rf "$tour"
}
trap leave_nothing EXIT

# With the ports of the API and of webhooks; 0 lets the system choose.
start_service() {
  : >"$tour/lines"
  # Effects are isolated; the flag is for machines that do not let anybody do that.
  "$node" src-cli/wes.mjs serve --data-dir "$data" --port "$1" --hooks-port "$2" --unsafe-effects \
    >"$tour/lines" 2>>"$tour/log" &
  service=$!
  until grep -q '^hooks ' "$tour/lines" && { [ "$1" != 0 ] || grep -q '^token ' "$tour/lines"; }; do
    kill -0 "$service" 2>/dev/null || { cat "$tour/log" >&2 && fail 'the service ended before it was ready'; }
    sleep 0.05
  done
  cat "$tour/lines"
}

say '1. Start the service in an empty folder. It starts a PostgreSQL and a Restate of its own, and prints an admin token.'
start_service 0 0
SERVICE_API_BASE_URL=$(sed -n 's/^ready //p' "$tour/lines")
SERVICE_TOKEN=$(sed -n 's/^token //p' "$tour/lines")
export SERVICE_API_BASE_URL SERVICE_TOKEN
wes whoami

say '2. Deploy a project with effects, and set what they find in their environment.'
wes deploy --project examples/project
wes deploy examples/artifacts/{hello,reminder-fanout}.program.json
wes env set PAYMENT_PROVIDER=acme

say '3. Start an order that waits for its approval, a trip that waits to be confirmed, and twenty timers.'
order=$(wes start order-approval --input '{"orderId":"A-7","cents":4200}')
trip=$(wes start trip-saga --input '{"trip":"Rome"}')
reminders=$(wes start reminder-fanout --input '{"count":20,"intervalMs":400}')
is_booked() { wes history "$trip" --json | grep -q wait_scheduled; }
until_ok is_booked
wes executions

say '4. Make a webhook, and a schedule that fires every other second.'
wes triggers replace '[
  { "programId": "hello", "type": "webhook" },
  { "programId": "hello", "type": "schedule", "cron": "*/2 * * * * *", "input": { "name": "schedule" } }
]' --json >"$tour/triggers"
hook=$(read_json 'it.items[0].url' <"$tour/triggers")
schedule=$(read_json 'it.items[1].id' <"$tour/triggers")
first_fire_at=$(read_json 'it.items[1].nextFireAt' <"$tour/triggers")
wes triggers

# Calls the webhook again and again until it is accepted; the key makes all of it one call. Prints the Execution's id.
call_webhook() {
  curl --silent --show-error --fail --retry 300 --retry-all-errors --retry-delay 1 --retry-max-time 180 \
    --json '{"name":"webhook"}' --header "idempotency-key: $1" "$hook" 2>>"$tour/log" | read_json 'it.executionId'
}

say '5. Call the webhook twice with one key: it starts one Execution.'
greeting=$(call_webhook first)
equal 'the Execution of the second call' "$(call_webhook first)" "$greeting"
wes result "$greeting" --wait

say '6. kill -9 PostgreSQL. The service starts it again; meanwhile a webhook is called until it is accepted.'
kill -9 "$(head -1 "$data/postgres/data/postmaster.pid")"
greeting=$(call_webhook second)
wes result "$greeting" --wait

say '7. kill -9 Restate, and approve the order. Its effect fails twice and is tried again.'
kill -9 "$(pgrep -f "^[^ ]*restate-server .*$data")"
until_ok wes send "$order" approved '{"by":"Grace"}'
wes result "$order" --wait --timeout 180
wes history "$order"

say '8. kill -9 the whole service; start it again in the same folder. Nothing is lost.'
kill -9 "$service"
wait "$service" 2>/dev/null || true
start_service "${SERVICE_API_BASE_URL##*:}" "$(sed 's|.*:\([0-9]*\)/.*|\1|' <<<"$hook")"
greeting=$(call_webhook third)
wes result "$greeting" --wait
wes result "$reminders" --wait --timeout 180

say '9. Cancel the trip: it takes back what it booked, with effects, and ends cancelled.'
wes cancel "$trip"
wes result "$trip" --wait --timeout 180 && fail 'the trip is not cancelled'
wes history "$trip"
equal 'what was taken back' "$(wes history "$trip" --all --json |
  read_json 'it.items.filter(({ type, name }) => type === "effect_scheduled" && name === "takeBack").map(({ data }) => data.input.what).join(" ")')" 'tour hotel train'

say '10. The schedule fired at each of its times, once, whatever was killed.'
# Reads the schedule before and after its Executions, in one process, because it fires meanwhile.
has_fired_each_time() {
  "$node" --input-type=module -e 'import { createClient } from "workflow-execution-service"
    const [, triggerId, firstFireAt] = process.argv
    const client = createClient()
    const nextFireAt = async () => Date.parse((await client.listTriggers("default")).items[1].nextFireAt)
    const next = await nextFireAt()
    let count = 0
    for (let cursor; cursor !== null; ) {
      const page = await client.listExecutions({ triggerId, limit: 200, cursor })
      count += page.items.length
      cursor = page.nextCursor
    }
    // It has caught up with what it missed, and did not fire since.
    const isKnown = next > Date.now() - 500 && next === (await nextFireAt())
    if (!isKnown || count !== (next - Date.parse(firstFireAt)) / 2000) process.exit(1)
    console.log(`fired ${count} times since ${firstFireAt}`)' "$schedule" "$first_fire_at"
}
until_ok has_fired_each_time

say '11. Usage counts what happened, to the last attempt of an effect.'
wes triggers replace '[]'
is_quiet() { wes executions --status queued --status running --json | read_json 'it.items.length' | grep -qx 0; }
until_ok is_quiet
wes usage --group-by program
wes usage --json >"$tour/usage"
used() { read_json "it.total.$1" <"$tour/usage"; }
entries() { wes history "$1" --all --json | read_json "it.items.filter(({ type }) => $2.test(type)).length"; }
equal 'the Executions in usage' "$(used executions)" "$(wes executions --all --json | read_json 'it.items.length')"
outcomes='/^effect_(completed|failed|attempt_failed)$/'
equal 'the attempts in usage' "$(used effectAttempts)" "$(($(entries "$order" "$outcomes") + $(entries "$trip" "$outcomes")))"
equal 'the events in usage' "$(used events)" "$(entries "$order" '/^event_received$/')"

say '12. Stop the service. It stops all that it started.'
kill "$service"
wait "$service" || fail "the service ended with exit code $?"
service=
pgrep -fa "$data" && fail 'something is still running'
echo 'the tour is complete'
