/**
 * The probes of the self-test: five operations that must work in a sandbox and twenty-one that must fail. Each
 * is tried for real, in a folder created for it. They run at every start, so they share one shell and one Node.
 */

/** A shell script that exits with 0 if it works, or a target that Node tries to reach. */
export type Attempt =
  | { readonly sh: string }
  | { readonly node: 'start' | 'tcp-host' | 'tcp-outside' | 'udp-outside' | 'unix' | 'abstract' }

export type Probe = Attempt & { readonly name: string; readonly expect: 'works' | 'blocked' }

const works = (name: string, attempt: Attempt): Probe => ({ name, expect: 'works', ...attempt })
const blocked = (name: string, attempt: Attempt): Probe => ({ name, expect: 'blocked', ...attempt })

/** `FIXTURE` is the folder of probe-fixture.ts; the scripts run in its `ws`. */
export const probes: readonly Probe[] = [
  works('write in the workspace', { sh: 'echo ok > inside.txt && rm inside.txt' }),
  works('git status', { sh: 'git status --porcelain' }),
  works('git diff', { sh: 'git diff --stat' }),
  works('node runs', { node: 'start' }),
  works('write a temporary file', { sh: 'echo x > "$TMPDIR/probe" && rm "$TMPDIR/probe"' }),

  blocked('read an SSH key', { sh: 'cat "$FIXTURE/home/.ssh/id_rsa"' }),
  blocked('read an SSH key through a link', {
    sh: 'ln -sfn "$FIXTURE/home/.ssh" link; cat link/id_rsa; code=$?; rm -f link; exit $code',
  }),
  blocked('read cloud credentials', { sh: 'cat "$FIXTURE/home/.aws/credentials"' }),
  blocked('read another worktree', { sh: 'cat "$FIXTURE/wt2/secret.txt"' }),
  blocked('write outside the workspace', { sh: 'echo x > "$FIXTURE/outside/f"' }),
  blocked('write outside by way of ..', { sh: 'echo x > ../outside/g' }),
  blocked('write to another worktree', { sh: 'echo x > "$FIXTURE/wt2/f"' }),
  blocked('write a hook of the repository', {
    sh: 'echo x > "$FIXTURE/repo/.git/hooks/post-checkout"',
  }),
  blocked('change the configuration of git', { sh: 'git config core.fsmonitor true' }),
  blocked('change the .git file of the worktree', {
    sh: 'echo "gitdir: /nonexistent/evil" > .git || mv .git moved || rm -f .git',
  }),
  blocked('reach a port of this machine', { node: 'tcp-host' }),
  blocked('reach the network by TCP', { node: 'tcp-outside' }),
  blocked('reach the network by UDP', { node: 'udp-outside' }),
  blocked('reach a socket of this machine', { node: 'unix' }),
  blocked('reach an abstract socket', { node: 'abstract' }),
  blocked('see a process of this machine', {
    // Not with grep, whose own arguments would contain the marker.
    sh: `for file in /proc/[0-9]*/cmdline; do
      case "$(tr '\\0' ' ' < "$file")" in *"$PROBE_MARKER"*) exit 0;; esac
    done; exit 1`,
  }),
  blocked('signal a process of this machine', {
    sh: `case "$(tr '\\0' ' ' < "/proc/$PROBE_PID/cmdline")" in
      *"$PROBE_MARKER"*) kill -0 "$PROBE_PID";; *) exit 1;; esac`,
  }),
  blocked('see variables that it was not given', {
    sh: `env | cut -d= -f1 | grep -vxE "$PROBE_NAMES" && exit 0
      tr '\\0' '\\n' < /proc/1/environ | grep -v '^LOOPWRIGHT_COMMAND='`,
  }),
  blocked('write to the system', {
    // The last file is only opened, which its owner may do even without capabilities.
    sh: `touch "/usr/local/bin/$PROBE_MARKER" && rm "/usr/local/bin/$PROBE_MARKER" ||
      : >> /proc/sys/kernel/core_pattern`,
  }),
  blocked('mount', { sh: 'mkdir -p mnt; mount -t tmpfs none mnt && umount mnt' }),
  blocked('make a user namespace', { sh: 'unshare -Ur true' }),
]

/** Prints a line for each probe: its index and its exit code. */
export function probeScript(all: readonly Probe[]): string {
  const scripts = all.flatMap((probe, index) =>
    'sh' in probe ? [`( ${probe.sh}\n) > /dev/null 2>&1; echo "${index} $?"`] : [],
  )
  return ['node -e "$PROBE_NODE" 2> /dev/null &', ...scripts, 'wait'].join('\n')
}

/** What Node tries to reach. */
export interface Targets {
  readonly port: number
  readonly socket: string
  readonly abstractName: string
}

/** A target that does not answer within this time counts as unreachable. */
const reachMs = 1000

export function probeNodeScript(all: readonly Probe[], targets: Targets): string {
  const tcp = (host: string, port: number): string =>
    `net.connect(${port}, ${JSON.stringify(host)})`
  const connections: Readonly<Record<string, string>> = {
    'tcp-host': tcp('127.0.0.1', targets.port),
    'tcp-outside': tcp('192.0.2.1', 443),
    unix: `net.connect(${JSON.stringify(targets.socket)})`,
    abstract: `net.connect(${JSON.stringify(`\0${targets.abstractName}`)})`,
  }
  const lines = all.flatMap((probe, index): readonly string[] => {
    if (!('node' in probe)) return []
    if (probe.node === 'start') return [`report(${index}, 0)`]
    if (probe.node === 'udp-outside') {
      return [
        `require('dgram').createSocket('udp4').on('error', () => report(${index}, 1))` +
          `.send('x', 53, '192.0.2.1', (error) => report(${index}, error ? 1 : 0))`,
      ]
    }
    const connection = `attempt(${index}, () => ${connections[probe.node]})`
    return [connection]
  })
  // In one line, because the probe for variables reads the environment line by line.
  return [
    `const net = require('net'), reported = new Set(), all = ${lines.length}`,
    "const report = (index, code) => { if (!reported.has(index)) console.log(index + ' ' + code); " +
      'reported.add(index); if (reported.size === all) process.exit() }',
    'const attempt = (index, connect) => { try { connect()' +
      ".on('connect', () => report(index, 0)).on('error', () => report(index, 1)) } " +
      `catch { report(index, 1) } setTimeout(() => report(index, 1), ${reachMs}) }`,
    ...lines,
  ].join('; ')
}
