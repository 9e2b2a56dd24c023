#!/bin/sh
# Ends a Chromium and removes its profile once the app is gone, however that came about, and ends the app once whoever
# started it is gone: a test run that is killed leaves nothing behind. The app holds the other end of this one's input.
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
# Its other processes end by themselves, a moment later, and one that is ending may still write.
for _ in 1 2 3 4 5 6; do
  rm -rf "$profile"
  sleep 0.2
done
