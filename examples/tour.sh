#!/usr/bin/env bash
# The five-minute tour: deploys Programs, starts Executions, sends an event, cancels one, kills the runtime in between,
# and checks that nothing is lost. From "wes()" on, you may also paste the lines into bash in the repository's folder.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# The command line of this repository, with the Node that `npm ci` installed.
wes() { node_modules/.bin/node src-cli/wes.mjs "$@"; }

# 1. Start the runtime with its own data directory on a free port. In a second terminal you would just run
#    `npm run -s wes -- dev`.
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

# 4. Start longer ones: one waits for an approval, one for a delivery, one for twenty timers.
approval=$(wes start approval --input '{"requester":"Ada","cents":4200}')
saga=$(wes start refund-saga --input '{"orderId":"A-7","pauseMs":10}')
reminders=$(wes start reminder-fanout --input '{"count":20,"intervalMs":100}')
wes executions

# 5. Kill the runtime, without a shutdown.
kill -9 "$runtime"
wait "$runtime" 2>/dev/null || true

# 6. Start the runtime again with the same data directory and port. All Executions continue.
start_runtime "${SERVICE_RUNTIME_URL##*:}"
wes executions

# 7. Send the approval that the first one waits for.
wes send "$approval" approved '{"by":"Grace"}'
wes result "$approval" --wait

# 8. Cancel the order: it cancels its bookings, and ends cancelled. Waiting for an Execution that does not complete sets
#    the exit code to 1.
wes cancel "$saga"
wes result "$saga" --wait || echo "exit code $?"
wes history "$saga"

# 9. The timers that were due while the runtime was down have fired too.
wes result "$reminders" --wait

# 10. Stop the runtime like Ctrl-C.
kill "$runtime"
wait "$runtime"
echo "the tour is complete"
