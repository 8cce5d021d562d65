/** What hostile code does to the checkout in which it runs. */

import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'

/** Each is followed by a reset. */
export const attacks: Readonly<Record<string, (at: (path: string) => string) => void>> = {
  'nothing at all': () => {},
  'changed content': (at) => writeFileSync(at('src/a.ts'), 'export const a = 2\n'),
  'the same size and the old times': (at) => {
    const { atime, mtime } = lstatSync(at('src/a.ts'))
    writeFileSync(at('src/a.ts'), 'export const a = 9\n')
    utimesSync(at('src/a.ts'), atime, mtime)
  },
  'removed files and folders': (at) => rmSync(at('src'), { recursive: true }),
  'new files, hidden and ignored ones too': (at) => {
    mkdirSync(at('node_modules/.bin'), { recursive: true })
    writeFileSync(at('node_modules/.bin/vitest'), '#!/bin/sh\nexit 0\n', { mode: 0o755 })
    writeFileSync(at('src/.hidden'), '')
    mkdirSync(at('src/deep/.git'))
  },
  'a link in the place of a file': (at) => {
    rmSync(at('test/a.test.ts'))
    symlinkSync('/etc/hostname', at('test/a.test.ts'))
  },
  'a link in the place of a folder': (at) => {
    renameSync(at('src'), at('moved'))
    symlinkSync('moved', at('src'))
  },
  'a folder in the place of a file': (at) => {
    rmSync(at('README.md'))
    mkdirSync(at('README.md/x'), { recursive: true })
  },
  'a file in the place of a folder': (at) => {
    rmSync(at('src'), { recursive: true })
    writeFileSync(at('src'), '')
  },
  'another target of a link': (at) => {
    rmSync(at('link'))
    symlinkSync('src/deep/b.ts', at('link'))
  },
  'second names for files': (at) => {
    linkSync(at('src/a.ts'), at('again'))
    rmSync(at('src/deep/b.ts'))
    linkSync(at('src/a.ts'), at('src/deep/b.ts'))
  },
  'rights taken away and given': (at) => {
    chmodSync(at('bin/run'), 0o644)
    chmodSync(at('src/a.ts'), 0o4777)
    mkdirSync(at('closed/in'), { recursive: true })
    chmodSync(at('closed/in'), 0)
    chmodSync(at('closed'), 0)
    chmodSync(at('src/deep'), 0)
    chmodSync(at('src'), 0)
    chmodSync(at('.'), 0o500)
  },
  pipes: (at) => {
    rmSync(at('README.md'))
    execFileSync('mkfifo', [at('README.md'), at('src/pipe')])
  },
  'names that are no text': (at) => {
    writeFileSync(Buffer.concat([Buffer.from(`${at('src')}/`), Buffer.from([0xff, 0xfe])]), 'x')
  },
  'a folder that is deeper than a path can say': (at) => {
    const deeper = `for (let i = 0; i < 60; i++) { fs.mkdirSync('d'.repeat(200)); process.chdir('d'.repeat(200)) }`
    execFileSync(process.execPath, ['-e', deeper], { cwd: at('src') })
  },
  'thousands of files': (at) => {
    mkdirSync(at('many'))
    for (let file = 0; file < 3000; file += 1) writeFileSync(at(`many/${file}`), '')
  },
  'another repository': (at) => {
    if (!existsSync(at('.git'))) return
    writeFileSync(at('.git/HEAD'), 'ref: refs/heads/evil\n')
    writeFileSync(at('.git/config'), '[core]\n\tfsmonitor = /bin/false\n')
    mkdirSync(at('.git/hooks'))
  },
}
