// The operator's registry is verdaccio: every package manager of npm's family installs from it
// through our endpoint, without and with a login. The credentials are never visible inside.

import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { evilCode, type Files, type ManagerName } from './installs/attack.ts'
import { driver, readableDist, run } from './installs/identity.ts'
import { pathWith } from './installs/managers.ts'
import { filesBelow } from './installs/stage.ts'
import { openVerdaccio, type Verdaccio } from './installs/verdaccio.ts'

type Login = 'no login' | 'a token' | 'a name and a password' | 'a token for one scope'

const lockfiles: Readonly<Partial<Record<ManagerName, readonly [string, ...string[]]>>> = {
  npm: ['package-lock.json', 'npm', 'install', '--package-lock-only'],
  pnpm: ['pnpm-lock.yaml', 'pnpm', 'install', '--lockfile-only'],
  yarn: ['yarn.lock', 'yarn', 'install', '--non-interactive'],
  berry: ['yarn.lock', 'yarn', 'install', '--mode=update-lockfile'],
  bun: ['bun.lock', 'bun', 'install', '--save-text-lockfile'],
}
const managers = ['npm', 'pnpm', 'yarn', 'berry', 'bun'] as const
const logins: readonly Login[] = [
  'no login',
  'a token',
  'a name and a password',
  'a token for one scope',
]

let registry: Verdaccio
let base = ''

beforeAll(async () => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'lwv-')))
  registry = await openVerdaccio()
}, 300_000)
afterAll(() => {
  registry.close()
  rmSync(base, { recursive: true, force: true })
}, 60_000)

/** The operator's `~/.npmrc`. */
function npmrc(login: Login): string {
  const { url, token, name, password } = registry
  const host = url.replace('http:', '')
  const basic = Buffer.from(`${name}:${password}`).toString('base64')
  const all = `registry=${url}\n`
  switch (login) {
    case 'no login':
      return all
    case 'a token':
      return `${all}${host}:_authToken=${token}\nalways-auth=true\n`
    case 'a name and a password':
      return `${all}${host}:_auth=${basic}\nalways-auth=true\n`
    default:
      return `${all}@private:registry=${url}\n${host}:_authToken=${token}\n`
  }
}

/** Created by the manager itself, with the operator's settings. */
async function lockfileOf(manager: ManagerName, files: Files, folder: string): Promise<Files> {
  const [file = '', program = '', ...args] = lockfiles[manager] ?? []
  const work = join(folder, 'work')
  mkdirSync(work)
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(work, name), content as string)
  const { url, token } = registry
  const script = `cd "${work}" && exec "$@"`
  const { stdout, stderr } = await run('sh', ['-c', script, 'sh', program, ...args], {
    env: {
      PATH: pathWith(manager) ?? '',
      HOME: join(folder, 'home'),
      BUN_CONFIG_REGISTRY: url,
      BUN_CONFIG_TOKEN: token,
      YARN_NPM_REGISTRY_SERVER: url.slice(0, -1),
      YARN_NPM_AUTH_TOKEN: token,
      YARN_NPM_ALWAYS_AUTH: '1',
      YARN_UNSAFE_HTTP_WHITELIST: '127.0.0.1',
      YARN_ENABLE_GLOBAL_CACHE: '0',
      YARN_ENABLE_IMMUTABLE_INSTALLS: '0',
    },
  })
  try {
    return { ...files, [file]: readFileSync(join(work, file), 'utf8') }
  } catch (error) {
    throw new Error(`${stdout}\n${stderr}`, { cause: error })
  }
}

describe.each(managers)('%s, with verdaccio', (manager) => {
  test.each(logins)(
    'and %s',
    async (login) => {
      const folder = mkdtempSync(join(base, `${manager}-`))
      for (const name of ['home', 'state', 'tmp']) mkdirSync(join(folder, name))
      writeFileSync(join(folder, 'home', '.npmrc'), npmrc(login))
      const wanted = login === 'no login' ? 'open-one' : '@private/two'
      const manifest = JSON.stringify({
        name: 't',
        version: '1.0.0',
        dependencies: { [wanted]: '1.0.0' },
      })
      const locked = await lockfileOf(manager, { 'package.json': manifest }, folder)
      const scene = {
        markers: [],
        evil: 'http://127.0.0.1:1/',
        canary: 'canary',
        marker: '',
        neighbor: '',
        registry: '',
      }
      const spy: Files =
        manager === 'berry'
          ? {
              '.yarnrc.yml': 'plugins:\n  - path: .yarn/plugins/spy.cjs\n    spec: spy\n',
              '.yarn/plugins/spy.cjs': `module.exports = { name: 'spy', factory: () => { process.on('exit', () => { ${evilCode(scene)} }); return {} } }`,
            }
          : {}
      const job = join(folder, 'job.json')
      const state = join(folder, 'state')
      writeFileSync(job, JSON.stringify({ files: { ...locked, ...spy }, state, mode: 'install' }))
      const dist = await readableDist()
      const { stdout, stderr } = await run(
        process.execPath,
        [join(dist, driver), join(dist, 'dist'), job],
        {
          env: {
            PATH: pathWith(manager) ?? '',
            HOME: join(folder, 'home'),
            TMPDIR: join(folder, 'tmp'),
          },
        },
      )
      expect(`${stdout}${stderr}`).toContain('"ends":"installed"')
      const made = filesBelow(state)
      expect(
        made.filter((file) => file.endsWith(`node_modules/${wanted}/package.json`)),
      ).not.toEqual([])
      const { token, name, password } = registry
      const secrets = [token, password, Buffer.from(`${name}:${password}`).toString('base64')]
      const seen = made.filter((file) => {
        const text = readFileSync(file, 'latin1')
        return secrets.some((secret) => text.includes(secret))
      })
      expect(seen).toEqual([])
      // The spy has run.
      expect(made.some((file) => file.endsWith('/found.txt'))).toBe(manager === 'berry')
    },
    300_000,
  )

  test('fails for a private package without a login', async () => {
    const folder = mkdtempSync(join(base, `${manager}-`))
    for (const name of ['home', 'state', 'tmp']) mkdirSync(join(folder, name))
    writeFileSync(join(folder, 'home', '.npmrc'), npmrc('a token'))
    const manifest = JSON.stringify({
      name: 't',
      version: '1.0.0',
      dependencies: { '@private/two': '1.0.0' },
    })
    const locked = await lockfileOf(manager, { 'package.json': manifest }, folder)
    writeFileSync(join(folder, 'home', '.npmrc'), npmrc('no login'))
    const job = join(folder, 'job.json')
    writeFileSync(
      job,
      JSON.stringify({ files: locked, state: join(folder, 'state'), mode: 'install' }),
    )
    const dist = await readableDist()
    const { stdout } = await run(process.execPath, [join(dist, driver), join(dist, 'dist'), job], {
      env: {
        PATH: pathWith(manager) ?? '',
        HOME: join(folder, 'home'),
        TMPDIR: join(folder, 'tmp'),
      },
    })
    expect(stdout).toContain('"ends":"refused"')
    expect(stdout).toContain('answered 401')
  }, 300_000)
})
