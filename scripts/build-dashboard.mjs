// Builds the dashboard into dist/dashboard, if one of the files that it was made of has changed. `npm run build`,
// `npm start` and `npm test` call it; the second time it only compares.

import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { root, runScript } from './child.mjs'

const source = join(root, 'src', 'dashboard')
const output = join(root, 'dist', 'dashboard')
/** Names the files that the page was made of, with their digest. Not part of the package. */
const stampFile = join(root, 'build', 'dashboard.json')

/** Returns whether it was built. */
export async function buildDashboard() {
  if (existsSync(join(output, 'index.html')) && isUnchanged()) return false
  const made = `${output}.${process.pid}`
  try {
    const inputs = await bundle(made)
    mkdirSync(join(root, 'build'), { recursive: true })
    rmSync(output, { recursive: true, force: true })
    renameSync(made, output)
    writeFileSync(stampFile, JSON.stringify({ inputs, digest: digestOf(inputs) }))
  } finally {
    rmSync(made, { recursive: true, force: true })
  }
  return true
}

async function bundle(outDir) {
  const [{ build }, { default: tailwindcss }] = await Promise.all([
    import('vite'),
    import('@tailwindcss/vite'),
  ])
  const inputs = new Set(fixedInputs())
  await build({
    root: source,
    base: '/ui/',
    configFile: false,
    publicDir: false,
    envDir: false,
    logLevel: 'warn',
    clearScreen: false,
    plugins: [tailwindcss(), collectInputs(inputs)],
    build: {
      outDir,
      emptyOutDir: true,
      target: 'es2023',
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      rolldownOptions: { onLog: (level, log, say) => isNoise(log) || say(level, log) },
    },
  })
  return [...inputs].toSorted()
}

/** What is not a module: versions of what builds it, and this script. */
const fixedInputs = () => [
  'package-lock.json',
  'scripts/build-dashboard.mjs',
  'src/dashboard/index.html',
]

/** Hints of packages for servers that render pages. */
const isNoise = ({ code }) => code === 'MODULE_LEVEL_DIRECTIVE'

const collectInputs = (inputs) => ({
  name: 'collect-inputs',
  buildEnd() {
    for (const id of this.getModuleIds()) {
      const [path = ''] = id.split('?')
      const name = relative(root, resolve(path))
      if (existsSync(path) && !name.startsWith('..') && !name.includes('node_modules'))
        inputs.add(name)
    }
  },
})

function isUnchanged() {
  if (!existsSync(stampFile)) return false
  const { inputs, digest } = JSON.parse(readFileSync(stampFile, 'utf8'))
  return digestOf(inputs) === digest
}

function digestOf(inputs) {
  const hash = createHash('sha256')
  for (const name of inputs) {
    const path = join(root, name)
    hash.update(`${name}\n`).update(existsSync(path) ? readFileSync(path) : 'missing')
  }
  return hash.digest('hex')
}

if (process.argv[1] === import.meta.filename) {
  await runScript(async () => {
    const isBuilt = await buildDashboard()
    process.stderr.write(isBuilt ? 'Built the dashboard\n' : '')
    return 0
  })
}
