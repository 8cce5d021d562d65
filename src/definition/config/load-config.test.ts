import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { defaultSettings } from '../../protocol/config/config.ts'
import { openTrust } from '../loop-file/trust.ts'
import { findConfigFiles } from './find-files.ts'
import {
  type ConfigOptions,
  type LoadedConfig,
  loadConfig,
  loadDaemonConfig,
} from './load-config.ts'
import { readConfigFile } from './read-config-file.ts'

let home: string
let project: string

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'loopwright-config-')))
  project = join(home, 'code', 'shop')
  mkdirSync(project, { recursive: true })
})

afterEach(() => rmSync(home, { recursive: true, force: true }))

function write(path: string, content: string): string {
  const whole = join(home, path)
  mkdirSync(dirname(whole), { recursive: true })
  writeFileSync(whole, content)
  return whole
}

const user = (content: string): string => write('.config/loopwright/loopwright.yaml', content)
const ours = (content: string): string => write('code/shop/loopwright.yaml', content)
const theirs = (content: string): string => write('code/shop/.loop/config', content)

const load = (
  environment: Record<string, string> = {},
  options: ConfigOptions = {},
): Promise<LoadedConfig> =>
  loadConfig({
    cwd: project,
    environment: { HOME: home, ...environment },
    folder: join(home, 'state'),
    ...options,
  })

const refusal = (loading: Promise<unknown>): Promise<string> =>
  loading.then(
    () => 'accepted',
    (error: unknown) => (error instanceof Error ? error.message.replaceAll(home, '') : 'unknown'),
  )

async function trust(path: string): Promise<void> {
  const folder = join(home, 'state')
  const environment = { HOME: home }
  const { files } = findConfigFiles({ cwd: dirname(path), environment })
  const file = files.find((one) => one.path === path)
  if (file === undefined) throw new Error(`${path} is not found.`)
  const { digest } = await readConfigFile(file, { folder, environment })
  await openTrust(folder).trust({ digest, file: path })
}

describe('settings', () => {
  test('are the defaults if nothing is set', async () => {
    expect(await load()).toEqual({
      settings: defaultSettings,
      origins: {},
      notes: [],
      files: [],
    })
  })

  test('come from the flag, then the environment, the project, the user, the default', async () => {
    const own = user('limits: { iterations: 40, tokens: 4000, cost: 4, time: 4h }\nmodel: a/user\n')
    const here = ours('limits:\n  iterations: 30\n  tokens: 3000\n  cost: 3\n')
    const { settings, origins, files } = await load(
      { LOOPWRIGHT_LIMITS_ITERATIONS: '20', LOOPWRIGHT_LIMITS_TOKENS: '2000' },
      { flags: { limits: { iterations: 10 } } },
    )
    expect(settings.limits).toEqual({
      iterations: 10,
      tokens: 2000,
      costMicros: 3_000_000,
      timeMs: 4 * 3_600_000,
    })
    expect(origins).toEqual({
      model: { type: 'user', file: own, line: 2, column: 1 },
      'limits.iterations': { type: 'flag' },
      'limits.tokens': { type: 'environment', name: 'LOOPWRIGHT_LIMITS_TOKENS' },
      'limits.cost': { type: 'project', file: here, line: 4, column: 3 },
      'limits.time': { type: 'user', file: own, line: 1, column: 50 },
    })
    expect(files).toEqual([here, own])
  })

  test('of a project are found from any folder in it, and not above the home folder', async () => {
    ours('artifacts: { mode: global }\n')
    const inner = join(project, 'src', 'deep')
    mkdirSync(inner, { recursive: true })
    expect((await load({}, { cwd: inner })).settings.artifacts.mode).toBe('global')
    // From a home in a subfolder, the same file is above the home.
    const elsewhere = await load({ HOME: join(project, 'src') }, { cwd: inner })
    expect(elsewhere.settings.artifacts.mode).toBe('mirror')
  })

  test('of both files of a project: loopwright.yaml overrides .loop/config', async () => {
    theirs('artifact_mode=workspace\nrun_branch_prefix=loops/\n')
    ours('artifacts: { mode: global }\n')
    const { settings } = await load()
    expect(settings.artifacts.mode).toBe('global')
    expect(settings.worktree.branchPrefix).toBe('loops/')
  })

  test('of a named file override discovered ones', async () => {
    ours('limits: { iterations: 10 }\nworktree: { branchPrefix: x/ }\n')
    write('other.config', 'iterations=5\n')
    for (const [environment, options] of [
      [{ LOOP_CONFIG: '~/other.config' }, {}],
      [{}, { file: '../../other.config' }],
    ] as const) {
      const { settings } = await load(environment, options)
      expect([settings.limits.iterations, settings.worktree.branchPrefix]).toEqual([5, 'x/'])
    }
    expect(await refusal(load({ LOOP_CONFIG: 'gone' }))).toBe(
      'LOOP_CONFIG names /code/shop/gone, which does not exist. Pass another file, or none.',
    )
  })
})

describe('an untrusted project file', () => {
  test("may lower the user's settings, but not raise them", async () => {
    user('limits: { iterations: 20, cost: 2 }\n')
    const file = ours('limits: { iterations: 10, cost: 50 }\n')
    const { settings, notes } = await load()
    expect(settings.limits).toEqual({ iterations: 10, costMicros: 2_000_000 })
    expect(notes).toEqual([
      `${file}: not used, because the file is not trusted: limits.cost. Read it, then: loopctl trust ${file}`,
    ])
  })

  test('cannot set anything that reaches outside or starts a program', async () => {
    ours(
      [
        'model: evil/model',
        'daemon: { address: "http://evil.example", use: false }',
        'artifacts: { logDir: ../../elsewhere, postmortem: true }',
        'naming: { model: evil/model, source: model }',
        'worktree: { base: evil, path: /etc, provider: worktrunk, worktrunkProgram: ./evil, copyIgnored: true }',
        'checks: { commands: [./evil] }',
      ].join('\n'),
    )
    const { settings, origins, notes } = await load()
    expect(settings).toEqual(defaultSettings)
    expect(origins).toEqual({})
    expect(notes).toHaveLength(1)
    expect(notes[0]).toContain('model, daemon.use, daemon.address, artifacts.logDir')
  })

  test('is fully used once its content is trusted, and only that content', async () => {
    const file = ours('model: some/model\nlimits: { iterations: 90 }\n')
    user('limits: { iterations: 20 }\n')
    await trust(file)
    const { settings, notes } = await load()
    expect([settings.model, settings.limits.iterations, notes]).toEqual(['some/model', 90, []])
    ours('model: other/model\n')
    expect((await load()).settings.model).toBeUndefined()
  })

  test('never sets the daemon, trusted or not', async () => {
    const file = ours('daemon: { port: 1234, maxConcurrentRuns: 99 }\n')
    await trust(file)
    const { settings, notes } = await load()
    expect(settings.daemon).toEqual(defaultSettings.daemon)
    expect(notes).toEqual([
      `${file}: not used, because the daemon serves every project: daemon.port, daemon.maxConcurrentRuns. ` +
        `Put it into ${join(home, '.config', 'loopwright', 'loopwright.yaml')}.`,
    ])
  })

  test('is not read in a worktree of an agent', async () => {
    const file = ours('limits: { iterations: 1 }\n')
    const repository = join(home, 'code', 'main', '.git')
    write('code/shop/.git', `gitdir: ${repository}/worktrees/shop\n`)
    expect((await load()).settings.limits).toEqual({ iterations: 1 })
    write('code/main/.git/loopwright/worktrees/a.json', JSON.stringify({ path: project }))
    const { settings, notes } = await load()
    expect(settings.limits).toEqual({})
    expect(notes).toEqual([`${file} is not read: it is in ${project}, where an agent works.`])
  })
})

describe('the daemon', () => {
  test("reads the user's file and the environment, but no project file", async () => {
    user('daemon: { port: 7800, queuePolicy: newest-first }\n')
    ours('limits: { iterations: 1 }\n')
    const { settings } = await loadDaemonConfig({
      environment: {
        HOME: home,
        LOOP_CONFIG: join(project, 'loopwright.yaml'),
        LOOPWRIGHT_DAEMON_MAX_CONCURRENT_RUNS: '9',
      },
    })
    expect(settings.daemon).toMatchObject({
      port: 7800,
      queuePolicy: 'newest-first',
      maxConcurrentRuns: 9,
    })
    expect(settings.limits).toEqual({})
  })
})

describe('mistakes', () => {
  test('in loopwright.yaml are reported with line, column and the nearest name', async () => {
    ours('daemon:\n  prot: 7700\nlimits: { iterations: many }\nlimit: {}\n')
    expect(await refusal(load())).toBe(
      [
        '/code/shop/loopwright.yaml cannot be used: there are 3 problems. Correct them, then try: loopctl config check /code/shop/loopwright.yaml',
        '/code/shop/loopwright.yaml:2:3: daemon.prot: there is no key "prot": did you mean port?',
        '/code/shop/loopwright.yaml:3:23: limits.iterations: expected a whole number from 1 to 1000000, found the text "many"',
        '/code/shop/loopwright.yaml:4:1: limit: there is no key "limit": did you mean limits?',
      ].join('\n'),
    )
  })

  test('in .loop/config too', async () => {
    theirs('# ours\niterations = lots # a comment\n  itterations=5\nno value\n')
    expect(await refusal(load())).toBe(
      [
        '/code/shop/.loop/config cannot be used: there are 3 problems. Correct them, then try: loopctl config check /code/shop/.loop/config',
        '/code/shop/.loop/config:2:14: iterations: expected a whole number from 1 to 1000000, found "lots"',
        '/code/shop/.loop/config:3:3: itterations: there is no key "itterations": did you mean iterations?',
        '/code/shop/.loop/config:4:1: the line: expected key=value, such as iterations=20',
      ].join('\n'),
    )
  })

  test('in the environment are reported with the variable', async () => {
    expect(await refusal(load({ LOOPWRIGHT_DAEMON_PORT: 'http' }))).toBe(
      'The variable LOOPWRIGHT_DAEMON_PORT is "http": expected a whole number from 0 to 65535. Correct it, or unset it.',
    )
    expect((await load({ LOOPWRIGHT_DAEMON_PROT: '1' })).notes).toEqual([
      'The variable LOOPWRIGHT_DAEMON_PROT is not a setting: did you mean LOOPWRIGHT_DAEMON_PORT?',
    ])
  })
})
