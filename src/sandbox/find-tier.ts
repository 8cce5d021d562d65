/**
 * The self-test: detects the sandbox of this machine by trying it. Anything uncertain counts as not secure.
 *
 * For root without control groups the tier is `none`: the kernel ignores the limit on the number of processes
 * for root.
 */

import { homedir } from 'node:os'
import { type Commands } from '../engine/index.ts'
import { isLoopError, textOf } from '../loop/index.ts'
import type { Bubblewrap } from './bubblewrap-launch.ts'
import { type Cgroups, openCgroups } from './cgroups.ts'
import { findProgram } from './find-program.ts'
import { findOverlayTools } from './overlay-stage.ts'
import { killAbandoned, readExecutable } from './process-group.ts'
import { relayFile } from './relay-file.ts'
import { isWrongProbe, runProbes } from './run-probes.ts'
import type { LimitKind, ProbeResult, SandboxReport } from './sandbox-type.ts'
import { seccompFilter } from './seccomp-filter.ts'
import { findToolchains, type Toolchains } from './toolchains.ts'

/** The properties of the machine that matter; tests pass their own. */
export interface Machine {
  readonly platform: string
  readonly uid: number | undefined
  readonly node: string
  readonly toolchains: Toolchains
  /** The toolchains for another PATH; absent: the same for every PATH. */
  findToolchains?(path: string): Toolchains
  findProgram(name: string): string | undefined
  openCgroups(): Cgroups | undefined
}

/** What sandboxes commands on this machine. */
export type SandboxBackend =
  | { readonly type: 'bubblewrap'; readonly bubblewrap: Bubblewrap }
  | { readonly type: 'seatbelt'; readonly sandboxExec: string }

export interface DetectedSandbox {
  readonly report: SandboxReport
  /** Absent in tier `none`. */
  readonly backend?: SandboxBackend
}

export type CreateCommands = (backend: SandboxBackend, workspace: string) => Commands

export function thisMachine(): Machine {
  const node = process.execPath
  const home = homedir()
  const cached = cacheToolchains((path) =>
    findToolchains({ home, path, node, variables: process.env }),
  )
  return {
    platform: process.platform,
    uid: process.getuid?.(),
    node,
    toolchains: cached(process.env['PATH'] ?? ''),
    findToolchains: cached,
    findProgram: (name) => findProgram(name),
    openCgroups: () => openCgroups(),
  }
}

const cachedPathsMax = 20
const cachedMs = 10_000

/** Needed at every start of a command; newly installed programs are found when the entry expires. */
function cacheToolchains(find: (path: string) => Toolchains): (path: string) => Toolchains {
  const cache = new Map<string, { readonly found: Toolchains; readonly atMs: number }>()
  return (path) => {
    const entry = cache.get(path)
    if (entry !== undefined && performance.now() - entry.atMs < cachedMs) return entry.found
    if (cache.size >= cachedPathsMax) cache.clear()
    const found = find(path)
    cache.set(path, { found, atMs: performance.now() })
    return found
  }
}

export async function findTier(
  machine: Machine,
  createCommands: CreateCommands,
): Promise<DetectedSandbox> {
  const startedAt = performance.now()
  const detected = await detect(machine, createCommands)
  const durationMs = Math.round(performance.now() - startedAt)
  return { ...detected, report: { ...detected.report, durationMs } }
}

async function detect(machine: Machine, createCommands: CreateCommands): Promise<DetectedSandbox> {
  switch (machine.platform) {
    case 'linux':
      return detectOnLinux(machine, createCommands)
    case 'darwin':
      return detectOnMac(machine, createCommands)
    default:
      return none(
        `There is no sandbox for ${machine.platform}.`,
        'Use Linux, or Windows through WSL2.',
      )
  }
}

async function detectOnLinux(
  machine: Machine,
  createCommands: CreateCommands,
): Promise<DetectedSandbox> {
  const bwrap = machine.findProgram('bwrap')
  if (bwrap === undefined) {
    return none(
      'bubblewrap is not installed. Namespaces alone would leave all files accessible.',
      'Install it: apt-get install bubblewrap, dnf install bubblewrap or pacman -S bubblewrap.',
    )
  }
  const cgroups = machine.openCgroups()
  await cgroups?.removeAbandoned()
  await killAbandoned((pid) => readExecutable(pid) === bwrap)
  if (cgroups === undefined && machine.uid === 0) return none(rootReason, rootFix)
  const limits: LimitKind = cgroups === undefined ? 'rlimit' : 'cgroup'
  const { node } = machine
  const filter = seccompFilter(limits)
  if (filter === undefined) {
    return none(`The system calls of ${process.arch} are not known.`, 'Use x64 or arm64.')
  }
  const overlayTools = findOverlayTools(machine.findProgram)
  const bubblewrap = { bwrap, cgroups, limits, relay: relayFile(), node, filter, overlayTools }
  const backend: SandboxBackend = { type: 'bubblewrap', bubblewrap }
  return selfTest(machine, backend, limits, createCommands, [])
}

const rootReason =
  'Loopwright runs as root and cannot create control groups, so the number of processes cannot be limited.'
const rootFix =
  'Run it as an ordinary user, or give it a writable control group (in Docker: ' +
  '--cgroupns=private with a writable /sys/fs/cgroup).'

/** macOS does not isolate processes and has no abstract sockets; all other probes must still be blocked. */
const notOnMac = [
  'reach an abstract socket',
  'see a process of this machine',
  'signal a process of this machine',
  'make a user namespace',
]

async function detectOnMac(
  machine: Machine,
  createCommands: CreateCommands,
): Promise<DetectedSandbox> {
  const sandboxExec = machine.findProgram('sandbox-exec')
  if (sandboxExec === undefined) {
    return none('There is no sandbox-exec on this Mac.', 'Use Linux for unattended work.')
  }
  return selfTest(machine, { type: 'seatbelt', sandboxExec }, 'none', createCommands, notOnMac)
}

async function selfTest(
  machine: Machine,
  backend: SandboxBackend,
  limits: LimitKind,
  createCommands: CreateCommands,
  exempt: readonly string[],
): Promise<DetectedSandbox> {
  let results: readonly ProbeResult[]
  try {
    const variables = Object.keys(machine.toolchains.env)
    results = await runProbes((workspace) => createCommands(backend, workspace), variables)
  } catch (error) {
    // No temporary folder: this is not about the sandbox.
    if (isLoopError(error, 'store-failed')) throw error
    return none(`Creating a sandbox failed. ${textOf(error)}`, suggestFix(textOf(error)))
  }
  const wrong = results.filter(isWrongProbe).filter(({ name }) => !exempt.includes(name))
  if (wrong.length > 0) {
    const names = wrong.map(({ name, found }) => `"${name}" ${found}`).join(', ')
    const fix = 'Report this with the versions of bubblewrap and the kernel.'
    return none(`The sandbox failed its self-test: ${names}.`, fix, results)
  }
  const report = backend.type === 'bubblewrap' ? strong(limits) : basic
  return { backend, report: { ...report, limits, probes: results, durationMs: 0 } }
}

const strong = (limits: LimitKind): Pick<SandboxReport, 'tier' | 'reason' | 'fix'> => ({
  tier: 'strong',
  reason:
    limits === 'cgroup'
      ? 'bubblewrap works; cgroups enforce limits.'
      : 'bubblewrap works. Memory is limited for each process; the total is only monitored.',
  ...(limits === 'cgroup'
    ? {}
    : {
        fix: 'For limits on all processes together, start Loopwright in a scope: systemd-run --user --scope -p Delegate=yes.',
      }),
})

const basic: Pick<SandboxReport, 'tier' | 'reason' | 'fix'> = {
  tier: 'basic',
  reason:
    'Seatbelt works, but processes are neither isolated nor limited. Loopwright is not tested on macOS.',
  fix: 'Use Linux with bubblewrap for unattended work.',
}

function none(reason: string, fix: string, probes: readonly ProbeResult[] = []): DetectedSandbox {
  return { report: { tier: 'none', reason, fix, limits: 'none', probes, durationMs: 0 } }
}

/** Recognizes systems that forbid user namespaces. */
function suggestFix(message: string): string {
  if (/uid map|RTM_NEWADDR|namespace|Operation not permitted|Permission denied/i.test(message)) {
    return (
      'User namespaces are forbidden here. On Ubuntu give bwrap an AppArmor profile with "userns,", or ' +
      'run: sysctl kernel.apparmor_restrict_unprivileged_userns=0. In Docker start the container with ' +
      '--security-opt seccomp=unconfined --security-opt apparmor=unconfined.'
    )
  }
  return 'To see the error, run: bwrap --unshare-all --ro-bind / / true'
}
