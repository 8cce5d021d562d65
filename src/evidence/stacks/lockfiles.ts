/**
 * The files from which the dependencies of a stack are installed, for the dependency layer and for seals. In one folder the
 * first existing file of a stack counts. Programs of packages never run during an install: what an install script does is
 * not in the lockfile.
 */

import type { StackName } from './stack.ts'

export interface Lockfile {
  readonly stack: StackName
  readonly file: string
  readonly manager: string
  /** Files next to it that declare the dependencies; an install needs those that exist. */
  readonly manifestFiles: readonly string[]
  /** Fills the layer from a folder that contains only these files. */
  readonly install: readonly string[]
  /** The same without network access. Absent: this manager does not support it. */
  readonly installOffline?: readonly string[]
  /** What the install creates, relative to the lockfile; empty: the manager's own store. */
  readonly installs: readonly string[]
  /** The variable that sets where the manager stores downloads. */
  readonly store?: { readonly variable: string }
}

const npm = ['npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
const pnpm = ['pnpm', 'install', '--frozen-lockfile', '--ignore-scripts']
// Like npm, which only warns about packages for another Node version.
const yarn = ['yarn', 'install', '--non-interactive']
const bun = ['bun', 'install', '--frozen-lockfile', '--ignore-scripts']
const node = ['package.json']
const npmStore = { variable: 'npm_config_cache' }
const pip = ['python3', '-m', 'pip', 'install', '--target', '.site-packages', '--no-deps']

export const lockfiles: readonly Lockfile[] = [
  {
    stack: 'node',
    file: 'package-lock.json',
    manager: 'npm',
    manifestFiles: node,
    install: npm,
    installOffline: [...npm, '--offline'],
    installs: ['node_modules'],
    store: npmStore,
  },
  {
    stack: 'node',
    file: 'npm-shrinkwrap.json',
    manager: 'npm',
    manifestFiles: node,
    install: npm,
    installOffline: [...npm, '--offline'],
    installs: ['node_modules'],
    store: npmStore,
  },
  {
    stack: 'node',
    file: 'pnpm-lock.yaml',
    manager: 'pnpm',
    manifestFiles: [...node, 'pnpm-workspace.yaml', '.pnpmfile.cjs'],
    install: pnpm,
    installOffline: [...pnpm, '--offline'],
    installs: ['node_modules'],
  },
  {
    stack: 'node',
    file: 'yarn.lock',
    manager: 'yarn',
    manifestFiles: [...node, '.yarnrc.yml'],
    install: [...yarn, '--frozen-lockfile', '--ignore-scripts', '--ignore-engines'],
    installs: ['node_modules'],
  },
  {
    stack: 'node',
    file: 'bun.lock',
    manager: 'bun',
    manifestFiles: node,
    install: bun,
    installs: ['node_modules'],
  },
  {
    stack: 'python',
    file: 'uv.lock',
    manager: 'uv',
    manifestFiles: ['pyproject.toml', '.python-version'],
    install: ['uv', 'sync', '--frozen', '--no-install-project', '--no-build'],
    installOffline: ['uv', 'sync', '--frozen', '--no-install-project', '--no-build', '--offline'],
    installs: ['.venv'],
    store: { variable: 'UV_CACHE_DIR' },
  },
  {
    stack: 'python',
    file: 'poetry.lock',
    manager: 'poetry',
    manifestFiles: ['pyproject.toml', 'poetry.toml'],
    install: ['poetry', 'install', '--no-root', '--no-interaction'],
    installs: ['.venv'],
  },
  {
    stack: 'python',
    file: 'requirements.txt',
    manager: 'pip',
    manifestFiles: ['constraints.txt'],
    install: [...pip, '--only-binary=:all:', '-r', 'requirements.txt'],
    installs: ['.site-packages'],
    store: { variable: 'PIP_CACHE_DIR' },
  },
  {
    stack: 'rust',
    file: 'Cargo.lock',
    manager: 'cargo',
    manifestFiles: ['Cargo.toml'],
    install: ['cargo', 'fetch', '--locked'],
    installOffline: ['cargo', 'fetch', '--locked', '--offline'],
    installs: [],
    store: { variable: 'CARGO_HOME' },
  },
  {
    stack: 'go',
    file: 'go.sum',
    manager: 'go',
    manifestFiles: ['go.mod', 'go.work', 'go.work.sum'],
    install: ['go', 'mod', 'download'],
    installs: [],
    store: { variable: 'GOMODCACHE' },
  },
]
