// Projects that are certified by the built loopctl with packages from registries of the operator: folders, and HTTP
// servers with and without a login.

import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import { afterFile, afterStory } from '../after.ts'
import type { Files } from '../installs/attack.ts'
import { type FileServer, openFileServer } from '../installs/file-server.ts'
import { type RunResult, run } from '../installs/identity.ts'
import { filesBelow } from '../installs/stage.ts'

const loopctl = join(import.meta.dirname, '../../dist/cli/loopctl.js')
export const secret = 'canary-0123456789abcdef'
export const basic: string = `Basic ${Buffer.from(`operator:${secret}`).toString('base64')}`
export const withLogin = (url: string): string => url.replace('//', `//operator:${secret}@`)

let base: string | undefined

export interface Scene {
  readonly folder: string
  readonly home: string
  readonly project: string
  /** The operator's packages. */
  readonly registry: string
}

export function openScene(): Scene {
  base ??= makeBase()
  const folder = mkdtempSync(join(base, 's-'))
  const scene = {
    folder,
    home: join(folder, 'home'),
    project: join(folder, 'project'),
    registry: join(folder, 'registry'),
  }
  for (const one of Object.values(scene)) mkdirSync(one, { recursive: true })
  return scene
}

function makeBase(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'lwr-')))
  afterFile(() => {
    base = undefined
    rmSync(folder, { recursive: true, force: true })
  })
  return folder
}

export async function serve(folder: string, authorization?: string): Promise<FileServer> {
  const server = await openFileServer(folder, authorization)
  afterStory(() => server.close())
  return server
}

export interface Operator {
  readonly path: string
  readonly env?: Readonly<Record<string, string>>
  readonly home?: Files
}

/** Commits the files and certifies them with the settings of the operator. */
export async function certify(
  { folder, home, project }: Scene,
  files: Files,
  check: string,
  operator: Operator,
  more: readonly string[] = [],
): Promise<RunResult> {
  for (const [top, all] of [
    [project, files],
    [home, operator.home ?? {}],
  ] as const) {
    for (const [name, content] of Object.entries(all)) {
      mkdirSync(dirname(join(top, name)), { recursive: true })
      writeFileSync(join(top, name), content as string)
    }
  }
  const git = (...args: string[]): void =>
    void execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], {
      cwd: project,
    })
  git('init', '-q')
  git('add', ...Object.keys(files))
  git('commit', '-q', '--allow-empty', '-m', 'one')
  const state = join(folder, 'state')
  const args = ['certify', '--state', state, '--attended', '--check', `test=${check}`, ...more]
  const script = `cd "${project}" && exec "$@"`
  return run('sh', ['-c', script, 'sh', process.execPath, loopctl, ...args], {
    env: { PATH: operator.path, HOME: home, TMPDIR: folder, ...operator.env },
  })
}

export const said = ({ stdout, stderr }: RunResult): string => `${stdout}${stderr}`

/** The exit code, and what was printed. */
export const ended = (result: RunResult): string => `${result.exitCode} ${said(result)}`

/** Neither installed files nor what the check saw and recorded. */
export function expectNoSecret({ folder }: Scene): void {
  const seen = filesBelow(join(folder, 'state')).filter((file) =>
    [secret, basic.slice('Basic '.length)].some((one) =>
      readFileSync(file, 'latin1').includes(one),
    ),
  )
  expect(seen).toEqual([])
}

/**
 * Fails if the credentials of the registry are visible. The brackets: the check itself is recorded
 * too.
 */
const patterns = [secret, basic.slice('Basic '.length)].map(
  (one) => `-e '[${one[0]}]${one.slice(1)}'`,
)
export const noSecretInside: string = `! (env; cat ~/.netrc ~/.cargo/*.toml "$CARGO_HOME"/*.toml) 2>/dev/null | grep ${patterns.join(' ')}`
