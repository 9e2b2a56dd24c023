#!/bin/sh
# Ends Chromium and removes its profile when the app has ended, and ends the app when its parent has ended, so that a
# killed test run leaves no processes. The app holds the other end of this script's input.
app=$1 starter=$2 chromium=$3 profile=$4

(
  while kill -0 "$starter" && kill -0 "$app"; do sleep 1; done
  kill -TERM "$app" && sleep 5
  kill -KILL "$app"
) 2> /dev/null < /dev/null &
watch=$!

read -r _
kill "$watch"
kill -KILL "$chromium"
# Its other processes end a moment later, and may still write until then.
for _ in 1 2 3 4 5 6; do
  rm -rf "$profile"
  sleep 0.2
done
