/** The operator's registries of Python, Rust and Go packages, as routes of the endpoint. */

import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { ToOurs } from './lockfile-reading.ts'
import { type Answer, type Link, type RegistryRoute, registryUrl } from './registry-endpoint.ts'
import { splitAddress } from './split-address.ts'

type Env = Readonly<Record<string, string | undefined>>

export interface OperatorRegistry {
  readonly routes: readonly RegistryRoute[]
  /** For the manager inside. */
  readonly env: Readonly<Record<string, string>>
  readonly toOurs: ToOurs
  /** Folders that it is a mirror in. */
  readonly readOnly: readonly string[]
}

const publicIndex = 'https://pypi.org/simple/'
const publicFiles = 'https://files.pythonhosted.org/'

export function pythonRegistry(env: Env = process.env, home: string = homedir()): OperatorRegistry {
  const index = env['PIP_INDEX_URL'] ?? env['UV_DEFAULT_INDEX'] ?? configuredIndex(env, home)
  const { upstream, headers } = splitAddress(index ?? publicIndex)
  const files: RegistryRoute = { prefix: 'pypi-files/0', upstream: publicFiles, headers: {} }
  const ours = `${registryUrl}pypi/0/`
  return {
    routes: [
      {
        prefix: 'pypi/0',
        upstream,
        headers,
        rewrite: (answer, link) => rewriteIndex(answer, link, upstream),
      },
      files,
    ],
    env: {
      PIP_INDEX_URL: ours,
      PIP_TRUSTED_HOST: '127.0.0.1',
      PIP_CONFIG_FILE: '/dev/null',
      PIP_DISABLE_PIP_VERSION_CHECK: '1',
      PIP_NO_INPUT: '1',
      UV_DEFAULT_INDEX: ours,
      UV_NO_CONFIG: '1',
    },
    toOurs(url) {
      if (url.startsWith(upstream)) return `${ours}${url.slice(upstream.length)}`
      if (url.startsWith(publicFiles))
        return `${registryUrl}pypi-files/0/${url.slice(publicFiles.length)}`
      return `${url}/`.startsWith(publicIndex)
        ? `${ours}${url.slice(publicIndex.length)}`
        : undefined
    },
    readOnly: [],
  }
}

function configuredIndex(env: Env, home: string): string | undefined {
  const files = [
    env['PIP_CONFIG_FILE'] ?? join(home, '.config', 'pip', 'pip.conf'),
    join(home, '.pip', 'pip.conf'),
    '/etc/pip.conf',
  ]
  for (const file of files.filter((one) => existsSync(one))) {
    const [, url] = /^\s*index[-_]url\s*=\s*(\S+)/m.exec(readFileSync(file, 'utf8')) ?? []
    if (url !== undefined) return url
  }
  return undefined
}

/** A page of the index, as HTML or as JSON. */
function rewriteIndex({ path, contentType, body }: Answer, link: Link, upstream: string): string {
  const page = new URL(path, upstream).href
  const ours = (address: string): string => {
    const url = new URL(address, page)
    const fragment = url.hash
    url.hash = ''
    return `${link(url.href)}${fragment}`
  }
  if (contentType.includes('json')) {
    const parsed = JSON.parse(body) as { files?: { url: string }[] }
    for (const file of parsed.files ?? []) file.url = ours(file.url)
    return JSON.stringify(parsed)
  }
  return body.replaceAll(
    /(<a\b[^>]*\bhref=)(["'])(.*?)\2/gi,
    (_all, before: string, quote: string, address: string) =>
      `${before}${quote}${ours(address.replaceAll('&amp;', '&'))}${quote}`,
  )
}

const publicCrates = 'https://index.crates.io/'
const publicCrateFiles = 'https://static.crates.io/crates/'

/** A mirror in a folder of the machine is shown as it is; else the sparse index of crates.io. */
export function cargoRegistry(
  home: string = homedir(),
): OperatorRegistry & { readonly config: string } {
  const file = join(home, '.cargo', 'config.toml')
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const [, folder] = /^\s*(?:directory|local-registry)\s*=\s*"([^"]+)"/m.exec(text) ?? []
  if (folder !== undefined && existsSync(folder)) {
    const kind = text.includes('local-registry') ? 'local-registry' : 'directory'
    const config = `[source.crates-io]\nreplace-with = "operator"\n[source.operator]\n${kind} = "${folder}"\n`
    return { routes: [], env: {}, toOurs: () => undefined, readOnly: [folder], config }
  }
  const [, sparse] = /"sparse\+(https?:[^"]+)"/.exec(text) ?? []
  const { upstream, headers } = splitAddress(sparse ?? publicCrates)
  const rewrite = ({ path, body }: Answer): string | undefined =>
    path === 'config.json'
      ? JSON.stringify({
          ...(JSON.parse(body) as object),
          dl: `${registryUrl}crates/0`,
          api: undefined,
        })
      : undefined
  return {
    routes: [
      { prefix: 'cargo/0', upstream, headers, rewrite },
      { prefix: 'crates/0', upstream: publicCrateFiles, headers: {} },
    ],
    env: {},
    toOurs: () => undefined,
    readOnly: [],
    config: `[source.crates-io]\nreplace-with = "operator"\n[source.operator]\nregistry = "sparse+${registryUrl}cargo/0/"\n`,
  }
}

const publicProxy = 'https://proxy.golang.org/'

/** The first entry of GOPROXY. What is fetched is compared with `go.sum` by go itself. */
export function goRegistry(env: Env = process.env): OperatorRegistry {
  const [first = publicProxy] = (env['GOPROXY'] ?? '')
    .split(/[,|]/)
    .filter((one) => /^(?:https?|file):/.test(one))
  const fixed = { GOSUMDB: 'off', GOFLAGS: '-modcacherw', GOTOOLCHAIN: 'local', GOENV: 'off' }
  const none = { toOurs: () => undefined }
  if (first.startsWith('file:')) {
    return {
      ...none,
      routes: [],
      env: { ...fixed, GOPROXY: first },
      readOnly: [new URL(first).pathname],
    }
  }
  const { upstream, headers } = splitAddress(first)
  return {
    ...none,
    routes: [{ prefix: 'go/0', upstream, headers }],
    env: { ...fixed, GOPROXY: `${registryUrl}go/0` },
    readOnly: [],
  }
}
