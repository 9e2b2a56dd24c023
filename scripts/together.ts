/**
 * The test files that share processes: their tests leave nothing in their process, and replace no module. A process runs
 * one file after the other and loads each module once, which takes about a third of the processor time of a process per file.
 */
export const TOGETHER = [
  'src-{main,renderer,sdk}/**/*.test.ts',
  'src-cli/{client,hosted,trigger}-commands.test.ts',
  'src-cli/{columns,json-argument,shell-word,table,text,times}.test.ts',
  'src-cli/{completion/complete,dev/failure-lines}.test.ts',
  'src-runtime/{connections,contract,engine,http,identity,operations,pages,shared,store,worker}/**/*.test.ts',
  'src-runtime/sandbox/{engine,guest-*,job-queue,labels,note-writes,replay,slot,task,turn-text}.test.ts',
  'src-runtime/source/!(evaluator-access|refused-folders|watch-folders|when-project-appears).test.ts',
  'src-hosted/{billing,changes,dispatch,egress,environment,http,limits,metrics,operator,roles,store,tokens}/**/*.test.ts',
  'src-hosted/{ingress,triggers,upkeep,usage}/**/*.test.ts',
  'bench/**/*.test.ts',
  'scripts/{check-lockfile,find-browser,longest-first,restricts-user-namespaces,together,workflows}.test.ts',
  'scripts/package/{after-pack,feed,fuses,release-faults,sbom,signing,unpacked-files}.test.ts',
  'scripts/start/{choose-home,open-browser,start,start-options}.test.ts',
  'src-cli/{service-faults,dev/log,dev/start-command,new/windows-names,serve/explain-failed-serve,serve/serve}.test.ts',
  'src-runtime/sandbox/{alone-lane,check-lane,slow-programs,stall-clock}.test.ts',
  'src-runtime/effects/{attempt-queue,check-host,describe-error,host-environment,host-work,messages}.test.ts',
  'src-runtime/http/log-unserved.test.ts',
  'src-hosted/boot/{free-ports,postgres-settings,unprivileged}.test.ts',
  'src-hosted/effects/{effect-places,version-cache,host/join-logs,host/open-tunnel}.test.ts',
  'src-hosted/tracing/tracing-options.test.ts',
  'src-hosted/visits/{effect-logs,effect-speeds,first-turns,hosted-worker,just-stored,look-again,slow-visits,start-places}.test.ts',
]
