// Completion in real shells: the scripts, with the built loopctl behind them.

import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openHost } from '../../src/host/index.ts'
import { afterFile } from '../after.ts'
import { lines } from '../host-fixture.ts'
import { warmLoopctl } from '../warm-loopctl.ts'
import { environment, loopctl } from './loop-fixture.ts'

const folder = mkdtempSync(join(tmpdir(), 'loopwright-completion-'))
afterFile(() => rmSync(folder, { recursive: true, force: true }))
const state = join(folder, 'state')
const here = join(folder, 'here')
const bin = join(folder, 'bin')

mkdirSync(join(here, 'loops'), { recursive: true })
mkdirSync(bin)
writeFileSync(join(here, 'loops', 'fix-tests.yaml'), '')
writeFileSync(join(here, 'loops', 'update.yaml'), '')
// What a hostile repository may contain: a shell would run it when it is inserted.
writeFileSync(join(here, 'loops', '$(touch pwned).yaml'), '')
writeFileSync(join(bin, 'loopctl'), `#!/bin/sh\nexec '${process.execPath}' '${loopctl}' "$@"\n`)
chmodSync(join(bin, 'loopctl'), 0o755)

const env = environment(state, { PATH: `${bin}:${process.env['PATH'] ?? ''}` })
const run = (shell: string, ...args: string[]): string =>
  execFileSync(shell, args, { env, cwd: here, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })

async function ask(...words: string[]): Promise<readonly string[]> {
  const { code, stdout, stderr } = await warmLoopctl(['complete', '--', ...words], env, here)
  if (code !== 0) throw new Error(`loopctl complete ended with ${code}: ${stderr}`)
  return stdout
    .split('\n')
    .map((line) => line.split('\t')[0] ?? '')
    .filter((value) => value !== '' && !value.startsWith(':'))
}

async function makeRun(name: string): Promise<void> {
  const host = await openHost({ folder: state })
  try {
    const workspace = join(folder, name)
    mkdirSync(workspace)
    const handle = await host.start(lines, { input: 1, name, workspace })
    await handle.done
  } finally {
    await host.close()
  }
}

describe('completion', () => {
  test('offers commands, subcommands, flags and the values of flags', async () => {
    expect(await ask('ins')).toEqual(['inspect'])
    expect(await ask('config', '')).toEqual(
      expect.arrayContaining(['show', 'path', 'check', 'schema']),
    )
    expect(await ask('run', '--dry')).toEqual(['--dry-run'])
    expect(await ask('run', '--worktree-provider', '')).toEqual(['auto', 'git', 'worktrunk'])
    expect(await ask('list', '--status', 'comp')).toEqual(['completed'])
  })

  test('offers loop files, and none whose name a shell would run', async () => {
    expect(await ask('run', '')).toEqual(['loops/fix-tests.yaml', 'loops/update.yaml'])
    expect(await ask('validate', 'loops/u')).toEqual(['loops/update.yaml'])
  })

  test('offers runs by name, and by id if one is typed; without a state folder it creates none', async () => {
    expect(await ask('inspect', '')).toEqual([])
    expect(existsSync(state)).toBe(false)
    await makeRun('brave-owls-jump')
    expect(await ask('inspect', 'br')).toEqual(['brave-owls-jump'])
    const [id = ''] = await ask('inspect', '01')
    expect(id).toMatch(/^01[0-9a-f-]{34}$/)
    // It has ended and cannot be resumed.
    expect(await ask('resume', '')).toEqual([])
    expect(await ask('retry', '')).toEqual(['brave-owls-jump'])
  })

  test('is silent about errors', async () => {
    writeFileSync(join(folder, 'journal.db'), 'no database')
    expect(await ask('--state', folder, 'inspect', '')).toEqual([])
    rmSync(join(folder, 'journal.db'))
  })
})

describe('in a shell', () => {
  /** All in one shell, which loads the script twice: one line each. */
  const inBash = (...typedLines: readonly (readonly string[])[]): readonly string[] => {
    const asked = typedLines.map((words) => {
      const typed = words.map((word) => `'${word}'`).join(' ')
      return `COMP_WORDS=(loopctl ${typed}); COMP_CWORD=${words.length}; _loopctl; printf '%s;' "\${COMPREPLY[@]}"; echo`
    })
    const taken =
      'script=$(loopctl completion bash); source <(echo "$script"); source <(echo "$script")'
    const shown = run('bash', '--norc', '-c', ['set -eu', taken, ...asked].join('\n'))
    return shown.trimEnd().split('\n')
  }

  test('bash completes, and runs nothing of what is typed', () => {
    expect(inBash(['run', '--dry'], ['run', 'loops/f'], ['inspect', '$(touch typed)'])).toEqual([
      '--dry-run;',
      'loops/fix-tests.yaml;',
      ';',
    ])
    expect(readdirSync(here)).toEqual(['loops'])
  })

  test('fish completes', () => {
    const script = 'loopctl completion fish | source; complete -C "loopctl run --dry"'
    expect(run('fish', '--no-config', '-c', script).split('\t')[0]).toBe('--dry-run')
  })

  test('zsh loads the script', () => {
    const script =
      'autoload -U compinit; compinit -D -u; source <(loopctl completion zsh); whence -w _loopctl'
    expect(run('zsh', '-f', '-c', script).trim()).toBe('_loopctl: function')
  })
})
