// The resource limits of a command: by control groups for root, per process for an ordinary user.

import { lstatSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Command, CommandResult } from '../../src/engine/index.ts'
import type { SandboxLimits } from '../../src/sandbox/index.ts'
import { isWhole } from '../share.ts'
import { drive, type Identity, identities, newFolder, newTag, taggedProcesses } from './fixture.ts'

const mebibyte = 1024 ** 2

/** The disk space of the files in a folder. */
const diskSize = (folder: string): number =>
  readdirSync(folder).reduce((sum, name) => sum + lstatSync(join(folder, name)).blocks * 512, 0)

interface LimitedRun {
  readonly result: CommandResult
  readonly limits: string
  readonly workspace: string
  /** The maximum number of processes at the same time. */
  readonly maxProcesses: number
}

type RunLimited = (limits: Partial<SandboxLimits>, command: Command) => Promise<LimitedRun>

/** Also asserts that no process is left. */
const createRunLimited =
  (identity: Identity): RunLimited =>
  async (limits, command) => {
    const workspace = await newFolder(identity)
    const TAG = newTag()
    let maxProcesses = 0
    const watch = setInterval(() => {
      maxProcesses = Math.max(maxProcesses, taggedProcesses(TAG).length)
    }, 100)
    const place = { workspace, limits, env: { TAG } }
    const { report, results } = await drive(identity, { place, commands: [command] })
    clearInterval(watch)
    expect(taggedProcesses(TAG)).toEqual([])
    const [result] = results
    if (result === undefined) throw new Error('There is no result.')
    return { result, limits: report.limits, workspace, maxProcesses }
  }

const shell = (script: string, timeoutMs = 20_000): Command => ({
  program: 'bash',
  args: ['-c', script],
  timeoutMs,
})

describe.each(identities)('for %s', (identity) => {
  const runLimited = createRunLimited(identity)

  test('a fork bomb stays small and ends at the time limit', async () => {
    const bomb = 'bomb() { bomb | bomb & }; bomb; while :; do sleep 1; done'
    const { result, maxProcesses, limits } = await runLimited({ processes: 64 }, shell(bomb, 2000))
    expect(maxProcesses).toBeGreaterThan(10)
    expect(maxProcesses).toBeLessThanOrEqual(64)
    // It may exit by itself when it can no longer fork.
    expect(['timeout', 'exited']).toContain(result.ended)
    expect(result.exceeded).toBe(limits === 'cgroup' ? 'processes' : undefined)
  })

  test('allocating two gigabytes fails at a limit of half a gigabyte', async () => {
    const script = `const all = []; for (let i = 0; i < 256; i++) {
      all.push(Buffer.alloc(8 << 20, 1)); require('fs').writeSync(1, process.memoryUsage.rss() + '\\n') }`
    const command = { program: 'node', args: ['-e', script], timeoutMs: 20_000 }
    const { result, limits } = await runLimited({ memoryBytes: 512 * mebibyte }, command)
    const reached = Number(result.stdout.trim().split('\n').at(-1))
    expect(reached).toBeGreaterThan(100 * mebibyte)
    expect(reached).toBeLessThanOrEqual(1.1 * 512 * mebibyte)
    expect(result.exitCode).toBeGreaterThan(0)
    expect(result.exceeded).toBe(limits === 'cgroup' ? 'memory' : undefined)
  })

  test.each([
    [
      'of many processes together',
      'for i in 1 2 3 4; do node -e "global.b = Buffer.alloc(200 << 20, 1); setInterval(() => {}, 1e6)" & done; wait -n',
    ],
    [
      'that is shared and anonymous',
      `perl -e 'open(my $z, "<", "/dev/zero"); for (1..32) {
        my $at = syscall(9, 0, 64 << 20, 3, 0x21, -1, 0); syscall(0, fileno($z), $at, 64 << 20) } sleep 1000'`,
    ],
    [
      'in an anonymous file',
      `perl -e 'my $n = "x"; for (1..32) { my $f = syscall(319, $n, 0); die "refused" if $f < 0;
        open(my $o, ">&=", $f); print $o "x" x (64 << 20); push @all, $o } sleep 1000'`,
    ],
  ])('memory %s counts too', async (_kind, script) => {
    const { result } = await runLimited({ memoryBytes: 512 * mebibyte }, shell(script))
    expect(result.ended).not.toBe('timeout')
    expect(result.exceeded ?? result.stderr).toMatch(/^(memory|refused)/)
  })

  test('files in memory count too', async () => {
    const script = 'head -c 100M /dev/zero > /tmp/big; stat -c %s /tmp/big'
    const { result } = await runLimited({ tmpBytes: 16 * mebibyte }, shell(script))
    expect(Number(result.stdout)).toBe(16 * mebibyte)
  })

  test('a file cannot grow beyond its limit', async () => {
    const { result, workspace } = await runLimited(
      { fileBytes: 10 * mebibyte },
      shell('head -c 10G /dev/zero > big'),
    )
    expect(statSync(join(workspace, 'big')).size).toBe(10 * mebibyte)
    expect(result.exitCode).toBeGreaterThan(0)
  })

  test('a busy process ends at the CPU time limit', async () => {
    const script = 'bash -c "while :; do :; done"; echo $?; times'
    const { result } = await runLimited({ cpuSeconds: 2 }, shell(script))
    const [code, , ofChildren = ''] = result.stdout.split('\n')
    expect(code).toBe('137')
    const seconds = [...ofChildren.matchAll(/(\d+)m([\d.]+)s/g)].map(
      ([, minutes, rest]) => 60 * Number(minutes) + Number(rest),
    )
    expect(seconds).toHaveLength(2)
    expect(seconds.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(1.1 * 2)
  })

  test('open files and core dumps are limited, and the limits cannot be raised', async () => {
    const script = 'ulimit -n; ulimit -c; ulimit -n 5000 2> /dev/null || echo refused'
    const { result } = await runLimited({ openFiles: 256 }, shell(script))
    expect(result.stdout).toBe('256\n0\nrefused\n')
  })
})

/** Limits that are checked from outside are the same for all users. */
const watchedIdentities = isWhole ? identities : identities.slice(-1)

describe.each(watchedIdentities)('limits that are checked from outside, for %s', (identity) => {
  const runLimited = createRunLimited(identity)

  test('writing many files ends at the workspace limit', async () => {
    const script = 'for i in $(seq 20000); do head -c 1M /dev/zero > file-$i; done'
    const limits = { workspaceBytes: 512 * mebibyte }
    const { result, workspace } = await runLimited(limits, shell(script))
    expect(result).toMatchObject({ ended: 'signal', exceeded: 'disk' })
    expect(diskSize(workspace)).toBeLessThanOrEqual(1.1 * 512 * mebibyte)
  })

  test('sparse files count with their full length', async () => {
    const script = 'for i in $(seq 10); do echo $i > $i; truncate -s 60M $i; done; echo made'
    const limits = { workspaceBytes: 100 * mebibyte }
    const { result, workspace } = await runLimited(limits, shell(script))
    expect(result).toMatchObject({ ended: 'signal', exceeded: 'disk', stdout: 'made\n' })
    expect(diskSize(workspace)).toBeLessThan(mebibyte)
    const few = await runLimited({ workspaceBytes: 1000 * mebibyte }, shell(script))
    expect(few.result).toMatchObject({ ended: 'exited', exitCode: 0 })
    expect(few.result.exceeded).toBeUndefined()
  })

  test.each([
    [
      'deleted but open',
      'for i in $(seq 50); do exec {fd}> a; rm a; head -c 20M /dev/zero >&$fd; done',
    ],
    [
      'in a folder that was made unreadable',
      'mkdir d; exec 3> d/a; chmod 0 d; head -c 900M /dev/zero >&3',
    ],
    [
      'in a folder that is nested too deep',
      `for i in $(seq 20); do d=$(printf "%0250d" 0); mkdir $d; cd $d; done
       for i in $(seq 50); do head -c 20M /dev/zero > $i; done`,
    ],
  ])('files that are %s count too', async (_name, write) => {
    const script = `${write}; sleep 1000`
    const { result } = await runLimited({ workspaceBytes: 40 * mebibyte }, shell(script, 20_000))
    expect(result).toMatchObject({ ended: 'signal', exceeded: 'disk' })
  })

  test('deleted files and symlinks to other folders do not count', async () => {
    const outside = await newFolder()
    const script = `mkfifo fifo; ln -s ${outside} link; ln -s /proc/self/root all
      head -c 30M /dev/zero > a; rm a; head -c 30M /dev/zero > a; sleep 0.5; echo fine`
    const { result } = await runLimited({ workspaceBytes: 40 * mebibyte }, shell(script))
    expect(result).toMatchObject({ ended: 'exited', exitCode: 0, stdout: 'fine\n' })
  })

  test('endless output ends at the output limit', async () => {
    const { result } = await runLimited({ outputBytes: 20 * mebibyte }, shell('yes'))
    expect(result).toMatchObject({ ended: 'signal', exceeded: 'output' })
    expect(result.stdout).toHaveLength(64 * 1024)
    expect(result.outputBytes).toBeLessThanOrEqual(1.1 * 20 * mebibyte)
  })
})
