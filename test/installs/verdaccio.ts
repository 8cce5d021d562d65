// A real registry that a company would run: verdaccio on loopback, with one public package and one
// that requires a login. It is installed when it is needed, because it is larger than the product.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { tarball } from './tarball.ts'

export interface Verdaccio {
  readonly url: string
  readonly token: string
  readonly name: string
  readonly password: string
  close(): void
}

const name = 'operator'
const password = 'canary-0123456789abcdef'

export async function openVerdaccio(): Promise<Verdaccio> {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-verdaccio-'))
  install(folder)
  const url = `http://127.0.0.1:${await freePort()}/`
  const config = join(folder, 'config.yaml')
  writeFileSync(
    config,
    `storage: ${folder}/storage\nauth:\n  htpasswd:\n    file: ${folder}/htpasswd\n    algorithm: bcrypt\n    rounds: 4\npackages:\n  '@private/*':\n    access: $authenticated\n    publish: $authenticated\n  '**':\n    access: $all\n    publish: $authenticated\nlog: { type: stdout, level: error }\n`,
  )
  const program = join(folder, 'node_modules', 'verdaccio', 'bin', 'verdaccio')
  const child = spawn(process.execPath, [program, '--config', config, '--listen', url], {
    cwd: folder,
    stdio: 'ignore',
  })
  const close = (): void => {
    child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    await untilUp(url, child)
    const { token } = await put(`${url}-/user/org.couchdb.user:${name}`, { name, password })
    if (token === undefined) throw new Error('verdaccio gave no token')
    await publish(url, token, 'open-one', {})
    await publish(url, token, '@private/two', { 'open-one': '1.0.0' })
    return { url, token, name, password, close }
  } catch (error) {
    close()
    throw error
  }
}

function install(folder: string): void {
  // One of its dependencies asks for a tag instead of a version.
  writeFileSync(join(folder, 'package.json'), '{"overrides":{"node-fetch":"2.6.7"}}')
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  execFileSync('npm', ['install', ...options, 'verdaccio@6'], { cwd: folder, stdio: 'ignore' })
}

function freePort(): Promise<number> {
  const server = createServer()
  return new Promise((done) =>
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => done(typeof address === 'object' ? (address?.port ?? 0) : 0))
    }),
  )
}

async function untilUp(url: string, child: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    if (child.exitCode !== null) break
    if (
      await fetch(`${url}-/ping`).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      return
    await sleep(100)
  }
  throw new Error('verdaccio did not start')
}

async function put(
  url: string,
  body: object,
  token?: string,
): Promise<{ readonly token?: string }> {
  const response = await fetch(url, {
    method: 'PUT',
    headers: {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${url} answered ${response.status}`)
  return (await response.json()) as { token?: string }
}

async function publish(
  registry: string,
  token: string,
  packageName: string,
  dependencies: object,
): Promise<void> {
  const manifest = { name: packageName, version: '1.0.0', dependencies }
  const bytes = tarball([{ name: 'package/package.json', content: JSON.stringify(manifest) }])
  const file = `${packageName}-1.0.0.tgz`
  const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`
  const shasum = createHash('sha1').update(bytes).digest('hex')
  const dist = { integrity, shasum, tarball: `${registry}${packageName}/-/${file}` }
  await put(
    `${registry}${packageName.replace('/', '%2f')}`,
    {
      _id: packageName,
      name: packageName,
      'dist-tags': { latest: '1.0.0' },
      versions: { '1.0.0': { ...manifest, _id: `${packageName}@1.0.0`, dist } },
      _attachments: {
        [file]: {
          content_type: 'application/octet-stream',
          data: bytes.toString('base64'),
          length: bytes.length,
        },
      },
    },
    token,
  )
}
