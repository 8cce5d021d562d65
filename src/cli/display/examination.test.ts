import { describe, expect, test } from 'vitest'
import type { Examination } from '../../host/doctor.ts'
import { createStyle } from '../terminal.ts'
import { renderExamination } from './examination.ts'

const strong: Examination = {
  sandbox: {
    tier: 'strong',
    reason: 'bubblewrap works; cgroups enforce limits.',
    limits: 'cgroup',
    probes: [
      { name: 'read an SSH key', expect: 'blocked', found: 'blocked' },
      { name: 'node runs', expect: 'works', found: 'works' },
    ],
    durationMs: 200,
  },
  dependencies: { mode: 'overlay', reason: 'An overlay was tried and works.' },
  observes: {
    reads: 'inotify',
    writes: 'overlay',
    reason: 'A trial observed reads and writes.',
  },
  programs: { shown: ['/home/a/.local/bin'], leftOut: [] },
  keys: {
    file: '/home/ann/.config/loopwright/keys',
    fileState: 'usable',
    providers: [
      { provider: 'anthropic', key: 'environment', variable: 'ANTHROPIC_API_KEY' },
      { provider: 'openai', key: 'file', variable: 'OPENAI_API_KEY' },
      { provider: 'google', key: 'none', variable: 'GEMINI_API_KEY' },
    ],
  },
  record: { folder: '/home/ann/.local/share/loopd', exists: true, problems: [] },
}

const render = (found: Examination, more: { width?: number; probes?: boolean } = {}): string =>
  renderExamination(found, { style: createStyle(false), width: 80, probes: false, ...more })

describe('the output of doctor', () => {
  test('on a machine where everything works', () => {
    expect(render(strong)).toBe(
      `
sandbox   ✓ tier strong: runs can be unattended
            bubblewrap works; cgroups enforce limits.
          ✓ cgroups enforce limits, for all processes of a command together
          ✓ all 2 probes passed; the self-test took 200 ms
          ✓ dependencies: overlay; what checks write is discarded
          ✓ files of checks: reads and writes observed

programs  ✓ commands see 1 folder of your home, read-only
            /home/a/.local/bin

keys      ✓ anthropic  set (ANTHROPIC_API_KEY)
          ✓ openai     in the key file
          - google     not set (GEMINI_API_KEY)
          ✓ key file   /home/ann/.config/loopwright/keys: only you can read it

state     ✓ state folder /home/ann/.local/share/loopd: intact`.trimStart(),
    )
  })

  test('on a machine where nothing works: with reasons and fixes', () => {
    const found: Examination = {
      sandbox: {
        tier: 'none',
        reason: 'The sandbox failed its self-test: "read an SSH key" works.',
        fix: 'Report this.',
        limits: 'none',
        probes: [
          { name: 'read an SSH key', expect: 'blocked', found: 'works' },
          { name: 'git status', expect: 'works', found: 'not-tried' },
          { name: 'node runs', expect: 'works', found: 'works' },
        ],
        durationMs: 90,
      },
      dependencies: { mode: 'copy', reason: 'Tier strong only.', fix: 'Use Linux.' },
      observes: { reads: 'none', writes: 'overlay', reason: 'No inotify.', fix: 'Allow it.' },
      programs: { shown: [], leftOut: [{ path: '/home/ann/bin', why: 'it holds keys' }] },
      keys: {
        file: '/k',
        fileState: 'refused',
        problem: 'Others can read the keys in /k. Run: chmod 600 /k',
        providers: [
          {
            provider: 'openai',
            key: 'none',
            variable: 'OPENAI_API_KEY',
            baseUrl: 'http://127.0.0.1:1/v1',
            problem: 'It holds a secret. Take it out.',
          },
          {
            provider: 'google',
            key: 'environment',
            variable: 'GOOGLE_API_KEY',
            baseUrl: 'http://127.0.0.1:2',
          },
        ],
      },
      record: { folder: '/r', exists: true, problems: ['page 3\u001B[2J is lost'] },
    }
    expect(render(found)).toBe(
      `
sandbox   ! tier none: only attended runs, without a sandbox
            The sandbox failed its self-test: "read an SSH key" works.
            Report this.
          ✗ 1 of 3 probes passed, 1 not tried; the self-test took 90 ms
          ✗ read an SSH key: works
          - git status: not tried
          ! dependencies: copied for each certification
            Tier strong only.
            Use Linux.
          ! files of checks: writes observed
            No inotify.
            Allow it.

programs  ✓ none in your home; commands see those of the system
          - /home/ann/bin: it holds keys

keys      ✗ openai    not set (OPENAI_API_KEY)
            requests go to http://127.0.0.1:1/v1, not to its public address
            It holds a secret. Take it out.
          ! google    set (GOOGLE_API_KEY)
            requests go to http://127.0.0.1:2, not to its public address
          ✗ key file  Others can read the keys in /k. Run: chmod 600 /k

state     ✗ state folder /r: 1 problem
          ✗ page 3\\x1b[2J is lost`.trimStart(),
    )
  })

  test('lists every probe if asked to, and no state folder if there is none', () => {
    const fresh = { ...strong, record: { folder: '/r', exists: false, problems: [] } }
    const text = render(fresh, { probes: true })
    expect(text).toContain('✓ read an SSH key: blocked\n          ✓ node runs: works\n')
    expect(text).toContain('state     - state folder /r: no runs yet')
  })

  test('fits the terminal, except for words that are longer than a line', () => {
    const { sandbox } = strong
    const long = { ...sandbox, reason: 'word '.repeat(60).trim(), fix: 'x'.repeat(200) }
    const lines = render({ ...strong, sandbox: long }, { width: 60 }).split('\n')
    expect(lines.filter((line) => line.length >= 60 && !line.includes('xxx'))).toEqual([])
    expect(lines.some((line) => line.trim() === 'x'.repeat(200))).toBe(true)
  })
})
