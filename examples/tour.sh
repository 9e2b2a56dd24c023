#!/usr/bin/env bash
# The five-minute tour: deploy Programs, start Executions, send an event, cancel one, pull the plug in between, and find
# that nothing is lost. From "wes()" on, every line may also be pasted into a bash in the repository's folder.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# The command line of this repository, on the Node that `npm ci` installed.
wes() { node_modules/.bin/node src-cli/wes.mjs "$@"; }

# 1. Start the runtime, with a data directory of its own and on whichever port is free. In a second terminal this is
#    just `npm run -s wes -- dev`.
tour=$(mktemp -d)
start_runtime() {
  rm -f "$tour/ready"
  node_modules/.bin/node src-cli/wes.mjs dev --port "$1" --data-dir "$tour/data" >"$tour/ready" &
  runtime=$!
  until grep -qs ready "$tour/ready"; do
    kill -0 "$runtime" || return 1
    sleep 0.05
  done
  SERVICE_RUNTIME_URL=$(sed 's/^ready //' "$tour/ready")
  export SERVICE_RUNTIME_URL
}
trap 'kill "$runtime" 2>/dev/null || true; wait; rm -rf "$tour"' EXIT
start_runtime 0

# 2. Deploy four compiled Programs. Their readable sources are in examples/artifacts/src.
wes deploy examples/artifacts/*.program.json
wes programs

# 3. Start an Execution and wait for its result.
wes start hello --input '{"name":"Ada"}' --wait

# 4. Start some that take longer: one waits for an approval, one for a delivery, one for twenty timers.
approval=$(wes start approval --input '{"requester":"Ada","cents":4200}')
saga=$(wes start refund-saga --input '{"orderId":"A-7","pauseMs":10}')
reminders=$(wes start reminder-fanout --input '{"count":20,"intervalMs":100}')
wes executions

# 5. Pull the plug. No warning, no shutdown.
kill -9 "$runtime"
wait "$runtime" 2>/dev/null || true

# 6. Start the runtime again, on the same data directory and port. Everything is still there, and goes on.
start_runtime "${SERVICE_RUNTIME_URL##*:}"
wes executions

# 7. Send the approval that the first one waits for.
wes send "$approval" approved '{"by":"Grace"}'
wes result "$approval" --wait

# 8. Cancel the order: it takes back what it had booked, and ends cancelled. A waited Execution that does not complete
#    makes the exit code 1.
wes cancel "$saga"
wes result "$saga" --wait || echo "exit code $?"
wes history "$saga"

# 9. The timers that became due while nobody was there have fired, too.
wes result "$reminders" --wait

# 10. Stop the runtime as Ctrl-C does.
kill "$runtime"
wait "$runtime"
echo "the tour is complete"
