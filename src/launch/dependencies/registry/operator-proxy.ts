/**
 * The HTTP proxy through which the operator's machine reaches registries: npm's settings, then the usual
 * variables. Nothing of a repository is read here.
 */

export interface ProxySettings {
  /** For `https:` addresses. */
  readonly https?: string
  /** For `http:` addresses. */
  readonly http?: string
  /** Hosts without a proxy, separated by commas: `localhost,.corp.example,10.0.0.1:8080`. */
  readonly noProxy?: string
}

/** Undefined: the URL is reached directly. */
export type FindProxy = (url: URL) => URL | undefined

type Env = Readonly<Record<string, string | undefined>>

/** `npm`: the operator's npm settings, which override the variables. */
export function readProxySettings(
  env: Env = process.env,
  npm: ReadonlyMap<string, string> = new Map(),
): ProxySettings {
  const setting = (name: string): string | undefined => usable(npm.get(name))
  const variable = (name: string): string | undefined =>
    usable(env[name.toUpperCase()]) ?? usable(env[name])
  const all = variable('all_proxy')
  const http = setting('proxy') ?? variable('http_proxy') ?? all
  const https = setting('https-proxy') ?? setting('proxy') ?? variable('https_proxy') ?? all
  const noProxy = setting('noproxy') ?? variable('no_proxy')
  return {
    ...(https === undefined ? {} : { https }),
    ...(http === undefined ? {} : { http }),
    ...(noProxy === undefined ? {} : { noProxy }),
  }
}

/** npm writes `null` and `false` for "none". */
const usable = (value: string | undefined): string | undefined =>
  value === undefined || ['', 'null', 'false'].includes(value) ? undefined : value

export function findProxy({ https, http, noProxy = '' }: ProxySettings): FindProxy {
  const direct = noProxy
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .map((entry) => entry.toLowerCase())
  return (url) => {
    const proxy = url.protocol === 'https:' ? https : http
    if (proxy === undefined || isDirect(url, direct)) return undefined
    const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(proxy) ? proxy : `http://${proxy}`
    return URL.canParse(address) ? new URL(address) : undefined
  }
}

const loopback = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/

function isDirect(url: URL, direct: readonly string[]): boolean {
  const host = url.hostname.toLowerCase()
  if (loopback.test(host)) return true
  return direct.some((entry) => {
    if (entry === '*') return true
    const [, name = entry, port] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? []
    if (port !== undefined && port !== portOf(url)) return false
    const suffix = name.replace(/^\*?\./, '')
    return host === suffix || host.endsWith(`.${suffix}`)
  })
}

export const portOf = ({ port, protocol }: URL): string =>
  port === '' ? (protocol === 'https:' ? '443' : '80') : port
