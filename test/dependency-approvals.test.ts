// Packages from git and from URLs: fetched as data, and installed once a person has approved them.

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { appendFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifyTarget } from '../src/history/certificates/index.ts'
import { type Host, openHost } from '../src/host/index.ts'
import {
  type CertifiedFolder,
  type CertifyFolderOptions,
  certifyFolder,
} from '../src/launch/certify/certify-folder.ts'
import { loadChecks } from '../src/launch/certify/load-checks.ts'
import { fetchSource } from '../src/launch/dependencies/fetch-source.ts'
import type { Question } from '../src/loop/index.ts'

let root = ''
let host: Host
const home = process.env['HOME']

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'loopwright-approvals-'))
  await mkdir(join(root, 'home'))
  process.env['HOME'] = join(root, 'home')
  host = await openHost({ folder: join(root, 'state') })
})
afterAll(async () => {
  if (home === undefined) delete process.env['HOME']
  else process.env['HOME'] = home
  await host.close()
  execFileSync('chmod', ['-R', 'u+w', root])
  await rm(root, { recursive: true, force: true })
})

const git = (cwd: string, ...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], {
    cwd,
    encoding: 'utf8',
  }).trim()

async function repository(name: string, files: Readonly<Record<string, string>>): Promise<string> {
  const folder = join(root, name)
  await mkdir(folder)
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
  git(folder, 'init', '-q')
  git(folder, 'add', '-A')
  git(folder, 'commit', '-qm', 'one')
  return folder
}

/**
 * A project that gets `dep` from this repository, by a URL that git is configured to find there.
 */
async function dependent(name: string, dep: string): Promise<string> {
  const range = `git+https://git.example/x/${basename(dep)}.git`
  const lines = `[url "file://${dep}"]\n  insteadOf = https://git.example/x/${basename(dep)}.git\n`
  await appendFile(join(root, 'home', '.gitconfig'), lines)
  const commit = git(dep, 'rev-parse', 'HEAD')
  const manifest = { name: 't', version: '1.0.0', dependencies: { dep: range } }
  const locked = { version: '1.0.0', resolved: `${range}#${commit}` }
  return repository(name, {
    'package.json': JSON.stringify(manifest),
    'package-lock.json': JSON.stringify({
      name: 't',
      version: '1.0.0',
      lockfileVersion: 3,
      packages: { '': manifest, 'node_modules/dep': locked },
    }),
  })
}

async function certify(
  folder: string,
  options: CertifyFolderOptions = {},
): Promise<CertifiedFolder> {
  const loaded = await loadChecks(host, folder, {
    ok: 'node -e "if (require(\'dep\') !== 42) throw 1"',
  })
  return certifyFolder(host, loaded, { attended: true, who: 'kim', ...options })
}

async function certificateOf(found: CertifiedFolder): Promise<unknown> {
  const target = found.certified ? found.certificate : ''
  return (await verifyTarget({ target, folder: host.folder, look: { repo: found.folder } }))
    .certificate
}

test('a commit of a repository needs one approval, is fetched by us, and is listed on the certificate', async () => {
  const marker = join(root, 'marker')
  const dep = await repository('dep', {
    'package.json': JSON.stringify({
      name: 'dep',
      version: '1.0.0',
      scripts: { prepare: `touch ${marker}`, install: `touch ${marker}` },
    }),
    'index.js': 'module.exports = 42\n',
    '.gitattributes': 'index.js filter=evil\n',
  })
  const project = await dependent('project', dep)
  const commit = git(dep, 'rev-parse', 'HEAD')
  const id = `git+https://git.example/x/dep.git#${commit}`
  await expect(certify(project)).rejects.toThrow(`loopctl certify --approve`)
  const asked: Question[] = []
  const ask = async (question: Question): Promise<string> => {
    asked.push(question)
    return 'approve'
  }
  const found = await certify(project, { ask })
  expect(found).toMatchObject({ certified: true })
  expect(asked).toHaveLength(1)
  expect(asked[0]).toMatchObject({ default: 'reject', text: expect.stringContaining(id) })
  expect(await certificateOf(found)).toMatchObject({
    approvals: [{ codes: ['dependency-source'], by: 'kim' }],
    layer: { from: 'installed', lockfile: 'unapproved', approved: [id] },
  })
  // Remembered by its content.
  const again = await certify(project, { ask })
  expect(asked).toHaveLength(1)
  expect(await certificateOf(again)).toMatchObject({
    approvals: [{ codes: ['dependency-source'], by: 'kim' }],
  })
  await expect(readFile(marker)).rejects.toMatchObject({ code: 'ENOENT' })
}, 60_000)

test('an install script needs an approval if a check fails without it, and runs in the sandbox', async () => {
  const marker = join(root, 'script-marker')
  const build = `touch ${marker}; echo 'module.exports = 42' > built.js`
  const dep = await repository('scripted', {
    'package.json': JSON.stringify({
      name: 'dep',
      version: '2.0.0',
      main: 'built.js',
      scripts: { postinstall: build },
    }),
  })
  const project = await dependent('with-script', dep)
  const source = `git+https://git.example/x/scripted.git#${git(dep, 'rev-parse', 'HEAD')}`
  const approve = [source]
  const found = await certify(project, { approve })
  expect(found).toMatchObject({
    certified: false,
    refusals: [
      { code: 'check-failed' },
      { code: 'install-script', message: expect.stringContaining(`(postinstall: ${build})`) },
    ],
  })
  const asked: string[] = []
  const ask = async ({ text }: Question): Promise<string> => {
    asked.push(text)
    return 'approve'
  }
  const certified = await certify(project, { ask })
  expect(certified).toMatchObject({ certified: true })
  expect(asked).toHaveLength(1)
  expect(await certificateOf(certified)).toMatchObject({
    layer: {
      summary: 'npm, 1 package, install scripts run',
      approved: [source, expect.stringMatching(/^script:dep@2\.0\.0#[0-9a-f]{16}$/)],
    },
  })
  expect(existsSync(marker)).toBe(false)
}, 60_000)

test('without a lockfile, versions are resolved once after an approval, and the certificate has the date', async () => {
  const project = await repository('unresolved', {
    'package.json': JSON.stringify({ name: 't', dependencies: { dep: 'file:./dep' } }),
    'dep/package.json': JSON.stringify({ name: 'dep', version: '1.0.0' }),
    'dep/index.js': 'module.exports = 42\n',
  })
  expect(await certify(project)).toMatchObject({
    certified: false,
    refusals: [{ code: 'check-error' }, { code: 'resolve-dependencies' }],
  })
  const certified = await certify(project, { ask: async () => 'approve' })
  const resolved = { at: expect.any(String), digest: expect.any(String) }
  const certificate = await certificateOf(certified)
  expect(certificate).toMatchObject({ layer: { from: 'installed', resolved } })
  expect(existsSync(join(project, 'package-lock.json'))).toBe(false)
  const again = await certificateOf(await certify(project, { dependencies: 'resolve' }))
  expect(again).toMatchObject({ layer: Reflect.get(Object(certificate), 'layer') })
}, 60_000)

test('a URL is fetched only from the internet, and only with the checksum of the lockfile', async () => {
  const server = createServer((request, response) => {
    if (request.url === '/moved') response.writeHead(302, { location: '/a.tgz' }).end()
    else response.end('archive')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const options = {
    folder: join(root, 'fetched'),
    tls: { rejectUnauthorized: true },
    proxy: () => undefined,
    signal: new AbortController().signal,
  }
  const source = { type: 'address', name: 'a', url: `http://127.0.0.1:${port}/moved` } as const
  const integrity = `sha512-${createHash('sha512').update('archive').digest('base64')}`
  try {
    for (const url of [source.url, `http://localhost:${port}/a.tgz`, `http://[::1]:${port}/`]) {
      await expect(fetchSource({ ...source, url }, options)).rejects.toThrow(
        /is not on the public internet/,
      )
    }
    const here = { ...options, isAllowed: () => true }
    const path = await fetchSource({ ...source, integrity }, here)
    expect(await readFile(path, 'utf8')).toBe('archive')
    const other = { ...source, integrity: integrity.replace(/.{4}==$/, 'aaaa==') }
    await expect(fetchSource(other, here)).rejects.toThrow(/its checksum is sha512-/)
  } finally {
    server.close()
  }
})
