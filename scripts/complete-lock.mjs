// `node scripts/complete-lock.mjs [folder]`: run it after `npm install` has changed package-lock.json, there or
// in another folder of the repository.
// A registry mirror may lack builds of a tool for other platforms. npm then leaves them out of the
// lock file without a word, and `npm ci` refuses that file everywhere. This adds what was left out:
// the version its parent asks for and the platform its name tells. Such an entry has no checksum;
// npm adds one when it installs the package on that platform.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, runScript } from './child.mjs'

const systems = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony']
const processors = ['arm', 'arm64', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x']
const libraries = { gnu: 'glibc', musl: 'musl' }

await runScript(() => {
  const path = join(root, process.argv[2] ?? '.', 'package-lock.json')
  const lock = JSON.parse(readFileSync(path, 'utf8'))
  const added = missingFrom(lock.packages)
  for (const [name, entry] of added) lock.packages[`node_modules/${name}`] = entry
  const { '': top, ...rest } = lock.packages
  const sorted = Object.entries(rest).toSorted(([a], [b]) => a.localeCompare(b, 'en'))
  lock.packages = { '': top, ...Object.fromEntries(sorted) }
  if (added.size > 0) writeFileSync(path, `${JSON.stringify(lock, undefined, 2)}\n`)
  process.stdout.write(`${added.size} packages for other platforms added to package-lock.json\n`)
  return 0
})

/** The optional dependencies that nothing in the lock file stands for. */
function missingFrom(packages) {
  const missing = new Map()
  for (const [parent, { optionalDependencies = {}, dev }] of Object.entries(packages)) {
    for (const [name, wanted] of Object.entries(optionalDependencies)) {
      if (packages[`node_modules/${name}`] || packages[`${parent}/node_modules/${name}`]) continue
      const entry = { ...platformOf(name), ...(dev && { dev }), optional: true }
      const fields = Object.entries(entry).toSorted(([a], [b]) => a.localeCompare(b, 'en'))
      const version = wanted.replace(/^[\^~]/, '')
      missing.set(name, { version, ...Object.fromEntries(fields) })
    }
  }
  return missing
}

/** `@oxlint/binding-linux-arm64-musl` is for Linux on arm64 with musl. */
function platformOf(name) {
  const words = name.split(/[-/]/)
  const found = words.map((word) => (word === 'windows' ? 'win32' : word))
  const os = found.filter((word) => systems.includes(word) || word === 'win32')
  const cpu = words.filter((word) => processors.includes(word) || /^(x64|wasm32)$/.test(word))
  const libc = words.filter((word) => word in libraries).map((word) => libraries[word])
  return {
    ...(os.length > 0 && { os }),
    ...(cpu.length > 0 && { cpu }),
    ...(libc.length > 0 && os.includes('linux') && { libc }),
  }
}
