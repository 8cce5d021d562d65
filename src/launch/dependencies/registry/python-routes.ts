/** The operator's Python package index, as routes of the endpoint, and local folders of wheels. */

import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Env, OperatorRegistry } from './go-routes.ts'
import { readNetrc } from './netrc.ts'
import {
  type Link,
  type RegistryResponse,
  type RegistryRoute,
  registryUrl,
} from './registry-endpoint.ts'
import { splitAddress } from './split-address.ts'

const publicIndex = 'https://pypi.org/simple/'
const publicFiles = 'https://files.pythonhosted.org/'

/** Settings of pip: from variables, or else from its files. */
interface PipSettings {
  readonly index: string | undefined
  /** False: only folders of wheels are used. */
  readonly hasIndex: boolean
  readonly extraIndexes: readonly string[]
  readonly findLinks: readonly string[]
}

export function pythonRegistry(env: Env = process.env, home: string = homedir()): OperatorRegistry {
  const settings = readPipSettings(env, home)
  const { upstream, headers } = splitAddress(
    isFolder(settings.index) ? publicIndex : (settings.index ?? publicIndex),
    readNetrc(env, home),
  )
  const ours = `${registryUrl}pypi/0/`
  const local = [...settings.extraIndexes, settings.index].filter(isFolder)
  const links = settings.findLinks.filter(isFolder)
  const index = isFolder(settings.index) ? settings.index : ours
  const extra = local.filter((one) => one !== index)
  const files: RegistryRoute = { prefix: 'pypi-files/0', upstream: publicFiles, headers: {} }
  return {
    routes: [
      {
        prefix: 'pypi/0',
        upstream,
        headers,
        rewrite: (response, link) => rewriteIndex(response, link, upstream),
      },
      files,
    ],
    env: {
      PIP_INDEX_URL: index,
      ...(settings.hasIndex ? {} : { PIP_NO_INDEX: '1' }),
      ...(extra.length === 0 ? {} : { PIP_EXTRA_INDEX_URL: extra.join(' ') }),
      ...(links.length === 0 ? {} : { PIP_FIND_LINKS: links.join(' ') }),
      PIP_TRUSTED_HOST: '127.0.0.1',
      PIP_CONFIG_FILE: '/dev/null',
      PIP_DISABLE_PIP_VERSION_CHECK: '1',
      PIP_NO_INPUT: '1',
      UV_DEFAULT_INDEX: index,
      UV_NO_CONFIG: '1',
    },
    toEndpointUrl(url) {
      if (url.startsWith(upstream)) return `${ours}${url.slice(upstream.length)}`
      if (url.startsWith(publicFiles))
        return `${registryUrl}pypi-files/0/${url.slice(publicFiles.length)}`
      return `${url}/`.startsWith(publicIndex)
        ? `${ours}${url.slice(publicIndex.length)}`
        : undefined
    },
    readOnly: [...new Set([...local, ...links].map(mountedFolder))],
  }
}

/** True for a local folder: `/opt/wheels`, `file:///opt/pypi/simple`. */
const isFolder = (address: string | undefined): address is string =>
  address !== undefined && /^(?:file:\/)?\//.test(address) && existsSync(toFolder(address))

const toFolder = (address: string): string =>
  address.startsWith('file:') ? fileURLToPath(address) : address

/** The pages of an index link to files next to it, so its parent is mounted. */
const mountedFolder = (address: string): string => {
  const folder = toFolder(address).replace(/\/$/, '')
  return folder.endsWith('/simple') ? folder.slice(0, -'/simple'.length) : folder
}

function readPipSettings(env: Env, home: string): PipSettings {
  const files = [
    env['PIP_CONFIG_FILE'] ?? join(home, '.config', 'pip', 'pip.conf'),
    join(home, '.pip', 'pip.conf'),
    '/etc/pip.conf',
  ]
  const texts = files.filter((one) => existsSync(one)).map((one) => readFileSync(one, 'utf8'))
  const configured = (name: string): readonly string[] => {
    // A value may continue on indented lines.
    const line = new RegExp(
      `^\\s*${name.replaceAll('-', '[-_]')}\\s*=([^\\n]*(?:\\n[ \\t]+[^\\n]+)*)`,
      'm',
    )
    const [found] = texts.flatMap((text) => line.exec(text)?.[1] ?? [])
    return words(found)
  }
  const variable = (name: string): readonly string[] | undefined =>
    env[name] === undefined ? undefined : words(env[name])
  const noIndex = env['PIP_NO_INDEX'] ?? configured('no-index')[0] ?? ''
  return {
    hasIndex: !/^(?:1|true|yes|on|y|t)$/i.test(noIndex),
    index: env['PIP_INDEX_URL'] ?? env['UV_DEFAULT_INDEX'] ?? configured('index-url')[0],
    extraIndexes: variable('PIP_EXTRA_INDEX_URL') ?? configured('extra-index-url'),
    findLinks: variable('PIP_FIND_LINKS') ?? configured('find-links'),
  }
}

const words = (text = ''): readonly string[] => text.split(/\s+/).filter((one) => one !== '')

/** Replaces the file URLs in a page of the index, HTML or JSON. */
function rewriteIndex(
  { path, contentType, body }: RegistryResponse,
  link: Link,
  upstream: string,
): string {
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
