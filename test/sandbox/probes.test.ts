// The isolation of the sandbox, tried for real, for root and for an ordinary user.

import { spawn } from 'node:child_process'
import { closeSync, openSync, readdirSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createPlainCommands } from '../../src/sandbox/index.ts'
import { probes } from '../../src/sandbox/probes.ts'
import { runProbes } from '../../src/sandbox/run-probes.ts'
import { drive, identities, newFolder } from './fixture.ts'

test('five probes must work in a sandbox, and twenty-one must be blocked', () => {
  expect(probes.filter(({ expect: expected }) => expected === 'works')).toHaveLength(5)
  expect(probes.filter(({ expect: expected }) => expected === 'blocked')).toHaveLength(21)
  expect(new Set(probes.map(({ name }) => name)).size).toBe(26)
})

/** Leaves out probes of the network, and those that would change this machine. */
test('the probes detect a missing sandbox', async () => {
  const commands = createPlainCommands()
  const results = await runProbes(
    () => ({
      run: (command, signal) => {
        const [flag = '', script = ''] = command.args
        const harmless = script.replaceAll(/\/usr\/local\/bin/g, '/nonexistent')
        return commands.run({ ...command, args: [flag, harmless] }, signal)
      },
    }),
    [],
  )
  const found = Object.fromEntries(results.map((one) => [one.name, one.found]))
  const open = [
    'read an SSH key',
    'read an SSH key through a link',
    'read cloud credentials',
    'read another worktree',
    'write outside the workspace',
    'write outside by way of ..',
    'write to another worktree',
    'write a hook of the repository',
    'change the configuration of git',
    'change the .git file of the worktree',
    'reach a port of this machine',
    'reach a socket of this machine',
    'reach an abstract socket',
    'see a process of this machine',
    'signal a process of this machine',
  ]
  for (const name of open) expect([name, found[name]]).toEqual([name, 'works'])
})

describe.each(identities)('the sandbox of %s', (identity) => {
  test('passes every probe, and leaves nothing behind', async () => {
    const TMPDIR = await newFolder(identity)
    const { report } = await drive(identity, {}, { env: { TMPDIR } })
    expect(report.probes.map(({ name, found }) => `${name}: ${found}`)).toEqual(
      probes.map(({ name, expect: expected }) => `${name}: ${expected}`),
    )
    expect(report.tier).toBe('strong')
    expect(report.limits).not.toBe('none')
    expect(readdirSync(TMPDIR)).toEqual([])
  })

  test('exposes none of our environment, not even through the process that created it', async () => {
    const workspace = await newFolder(identity)
    const commands = [
      { program: 'sh', args: ['-c', 'env; cat /proc/*/environ /proc/*/cmdline | tr "\\0" "\\n"'] },
    ]
    const env = { CANARY_KEY: 'canary-3141', GIVEN: 'no' }
    const { results } = await drive(identity, { place: { workspace }, commands }, { env })
    expect(results[0]?.stdout).toContain('HOME=/home/agent')
    expect(results[0]?.stdout).not.toContain('CANARY')
    expect(results[0]?.stdout).not.toContain('canary')
  })

  test('does not get descriptors that we inherited', async () => {
    const workspace = await newFolder(identity)
    const secret = join(await newFolder(), 'secret.txt')
    await writeFile(secret, 'secret-2718')
    const descriptor = openSync(secret, 'r')
    const commands = [{ program: 'sh', args: ['-c', 'ls -l /proc/self/fd'] }]
    const job = { place: { workspace }, commands }
    const { results } = await drive(identity, job, { descriptors: { 40: descriptor } })
    closeSync(descriptor)
    const targets = results[0]?.stdout.match(/(?<=\d+ -> ).*/g) ?? []
    const isOurs = (target: string): boolean =>
      /^(\/dev\/null|socket:.*|\/proc\/\d+\/fd)$/.test(target)
    expect(targets.length).toBeGreaterThan(3)
    expect(targets.filter((target) => !isOurs(target))).toEqual([])
    expect(targets.filter((target) => target.startsWith('socket:'))).toHaveLength(2)
  })

  test('can write to the workspace and to three folders in memory, and nowhere else', async () => {
    const workspace = await newFolder(identity)
    const script = `for folder in / /tmp /home /home/agent /dev /dev/shm /run /var /var/tmp /etc /usr \\
        /proc/sys/kernel .; do
      if touch "$folder/x" 2> /dev/null; then echo "$folder"; fi
    done`
    const commands = [{ program: 'sh', args: ['-c', script] }]
    const { results } = await drive(identity, { place: { workspace }, commands })
    expect(results[0]?.stdout.trim().split('\n')).toEqual([
      '/tmp',
      '/home/agent',
      '/dev/shm',
      '/var/tmp',
      '.',
    ])
    expect(readdirSync(workspace)).toEqual(['x'])
  })

  test('protects a repository and its worktrees', async () => {
    const workspace = await newFolder(identity)
    const git = (...args: string[]): Promise<unknown> =>
      new Promise((done) =>
        spawn('git', ['-C', workspace, ...args], { stdio: 'ignore' }).once('close', done),
      )
    await git('init', '-q')
    const config = await readFile(join(workspace, '.git', 'config'), 'utf8')
    const script =
      'echo evil > .git/hooks/pre-commit; echo evil >> .git/config; rm -rf .git; mv .git moved; ls -d .git'
    const commands = [{ program: 'sh', args: ['-c', script] }]
    const { results } = await drive(identity, { place: { workspace }, commands })
    expect(results[0]?.stdout).toBe('.git\n')
    expect(await readFile(join(workspace, '.git', 'config'), 'utf8')).toBe(config)
    expect(readdirSync(join(workspace, '.git', 'hooks'))).not.toContain('pre-commit')
  })

  test('hides and shows the listed paths', async () => {
    const workspace = await newFolder(identity)
    const shared = await newFolder(identity)
    await writeFile(join(workspace, '.env'), 'KEY=secret')
    await writeFile(join(shared, 'lib.txt'), 'shared')
    const script = `cat .env; cat ${shared}/lib.txt; echo x > ${shared}/new || echo refused`
    const commands = [{ program: 'sh', args: ['-c', script] }]
    const place = { workspace, readOnly: [shared], hide: ['.env', 'missing'] }
    const { results } = await drive(identity, { place, commands })
    expect(results[0]?.stdout).toBe('sharedrefused\n')
  })
})
