// The command line that starts a program in namespaces of its own, with a root that holds Node and nothing else. Pure.

export type IsolationPlan = {
  readonly tools: Readonly<Record<Tool, string>>
  /** Where the shared libraries of `umount` are, as absolute folders. */
  readonly umountLibraries: readonly string[]
  /** The folder that becomes the root. */
  readonly root: string
  /** The executable of Node; undefined: the root has its own copy. */
  readonly node: string | undefined
}

export type Tool = (typeof TOOLS)[number]
export const TOOLS = ['sh', 'nice', 'setpriv', 'unshare', 'mount', 'umount', 'pivot_root', 'prlimit'] as const

export type IsolatedProgram = {
  /** A folder that becomes `/run`. */
  readonly run: string
  /** The user that the rest of the machine sees as the owner of the process; undefined: the one who starts it. */
  readonly uid: number | undefined
  /** Memory that the process may write to, its shared libraries and its reserves included. */
  readonly dataBytes: number | undefined
  /** Of Node. */
  readonly args: readonly string[]
}

/** The user inside. It has no rights over the namespaces, which belong to the user namespace around its own. */
const INNER_USER = 1000
const PROCESSES = 64
const OPEN_FILES = 1_024
/** Less urgent than the service's own processes. */
const NICENESS = '5'

/**
 * Runs as root of a new user namespace, in new namespaces of all other kinds, and ends as Node in one more user namespace.
 * After `umount`, nothing of the machine's files is left but what was mounted before. The limit of user namespaces keeps
 * the process from making others, in which it would have capabilities.
 */
const SCRIPT = `
mount=$1 umount=$2 pivot_root=$3 prlimit=$4 libraries=$5 root=$6 node=$7 run=$8 data=$9
shift 9
"$mount" -o bind,ro,nosuid,nodev "$root" "$root"
cd "$root"
if [ -n "$node" ]; then "$mount" -o bind,ro,nosuid,nodev "$node" bin/node; fi
"$mount" -o bind,ro,nosuid,nodev,noexec "$run" run
"$mount" -t tmpfs -o size=64m,nr_inodes=10000,mode=1777,nosuid,nodev,noexec tmp tmp
"$mount" -t proc -o subset=pid,hidepid=invisible,nosuid,nodev,noexec proc proc
echo 1 > /proc/sys/user/max_user_namespaces
# Each session may be scheduled as a group: then the niceness of its processes counts within it only. One group in 100 ms may be changed.
if [ -e /proc/self/autogroup ]; then echo ${NICENESS} 2>/dev/null > /proc/self/autogroup || :; fi
"$prlimit" --pid $$ --core=0:0 --nofile=${OPEN_FILES}:${OPEN_FILES} --nproc=${PROCESSES}:${PROCESSES} --memlock=0:0 --msgqueue=0:0 --data="$data"
"$pivot_root" . mnt
cd /
LD_LIBRARY_PATH=$libraries "/mnt$umount" -l /mnt
cd /tmp
exec /bin/unshare --user --map-user=${INNER_USER} --map-group=${INNER_USER} -- /bin/node "$@"
`

export const isolationCommand = (
  { tools, umountLibraries, root, node }: IsolationPlan,
  { run, uid, dataBytes, args }: IsolatedProgram,
): readonly [command: string, ...args: string[]] => {
  const user = uid === undefined ? [] : ['--reuid', `${uid}`, '--regid', `${uid}`, '--clear-groups']
  const libraries = umountLibraries.map((folder) => `/mnt${folder}`).join(':')
  return [
    tools.nice,
    '-n',
    NICENESS,
    tools.setpriv,
    '--no-new-privs',
    ...user,
    '--pdeathsig',
    'KILL',
    '--',
    tools.unshare,
    ...['--user', '--map-root-user', '--mount', '--net', '--ipc', '--uts', '--cgroup', '--pid'],
    ...['--propagation', 'private', '--fork', '--kill-child', '--'],
    tools.sh,
    '-ec',
    SCRIPT,
    'sh',
    ...[tools.mount, tools.umount, tools.pivot_root, tools.prlimit, libraries, root, node ?? '', run],
    dataBytes === undefined ? 'unlimited' : `${dataBytes}:${dataBytes}`,
    ...args,
  ]
}
