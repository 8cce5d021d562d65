/** The hostile paths by what is wrong with them. Each path occurs once. */

import { join } from 'node:path'

const words = (text: string): readonly string[] => text.trim().split(/\s+/)

export const outsidePaths: readonly string[] = [
  '..',
  '../',
  '../..',
  '../.',
  '../../../../../../../../../../nonexistent/x',
  `${'../'.repeat(1000)}nonexistent/x`,
  'file.txt/../../outside/secret.txt/../..',
  'to-secret',
  'to-secret/',
  'to-secret-absolute',
  'to-outside',
  'to-outside/',
  'to-outside/secret.txt',
  'to-outside/folder/inner.txt',
  'to-outside/../outside/secret.txt',
  'to-outside-slash/secret.txt',
  'to-outside-absolute/secret.txt',
  'to-outside-absolute/new.txt',
  'to-parent',
  'to-parent/workspace/file.txt',
  'to-root',
  'to-root/nonexistent/x',
  'to-missing-outside',
  'to-missing-absolute',
  'to-nonexistent',
  'chain-1',
  'chain-2',
  'sub/chain-3',
  'sub/../chain-1',
  'sub/up',
  'sub/round-about',
  'sub/deep/../../chain-1',
  '/nonexistent',
  '/nonexistent/x',
  '//nonexistent/x',
  '///nonexistent',
  '/',
  '//',
  '/.',
  '/..',
  '~',
  '~/.ssh/id_rsa',
  '~root/.bashrc',
  '~/../nonexistent',
]

export const systemPaths: readonly string[] = words(`
  /etc/passwd /etc/../etc/passwd /proc/self/environ /proc/self/cwd/file.txt
  /proc/self/root/etc/passwd /proc/1/environ /proc/self/fd/0 /proc/self/mem
  /proc/thread-self/environ /sys/kernel /dev/zero /dev/random /dev/stdin /dev/fd/0 /dev/tty
  /root/.bashrc /home /tmp to-passwd to-environ to-process-root to-process-root/etc/passwd
  to-process-folder to-process-folder/package.json to-zero to-stdin to-root/etc/passwd
`)

export const impossiblePaths: readonly string[] = [
  '\0',
  'file.txt\0',
  'file.txt\0.png',
  'sub/\0/file.txt',
  '../outside/secret.txt\0',
  'a'.repeat(256),
  `sub/${'a'.repeat(256)}`,
  `sub/${'é'.repeat(128)}`,
  `${'a'.repeat(256)}/file.txt`,
  'a/'.repeat(2049),
  'a'.repeat(5000),
  'a'.repeat(1_000_000),
  '../'.repeat(100_000),
  'half \ud800',
  '\udfff/file.txt',
  'file:///nonexistent/x',
  'FILE://localhost/nonexistent',
  'http://127.0.0.1/x',
  'data://text',
]

export const loops: readonly string[] = words(`
  loop-a loop-b loop-self loop-a/x loop-folder loop-here sub/../loop-a
`)

export const emptyPaths: readonly string[] = ['']

export const specialFiles: readonly string[] = words(`
  pipe ./pipe sub/pipe sub/../pipe to-pipe socket to-socket
`)

export const underFiles: readonly string[] = words(`
  pipe/ pipe/x socket/x file.txt/ file.txt/. file.txt/x file.txt/.. sub/deep/file.txt/x
`)

export const folderPaths: readonly string[] = words(`
  . ./ sub sub/ sub/. sub/deep/.. sub/deep/../ ./sub/./deep
`)

export const gitPaths: readonly string[] = [
  '.git/config',
  '.git/hooks/pre-commit',
  '.git/hooks/post-checkout',
  '.git/new/deep',
  './.git/config',
  'sub/../.git/config',
  '.git/../.git/config',
  '.GIT/config',
  '.Git/hooks/x',
  '.git./config',
  '.git /config',
  '.g\u200cit/config',
  '.gi\ufefft/hooks/x',
  '．git/config',
  'git~1/config',
  'GIT~1/hooks/x',
  'module/.git',
  'module/.git/config',
  'new/.git/config',
  'git-link/config',
  'git-link/hooks/x',
  'git-config-link',
  'sub/git-link/x',
]

export const outputPaths: readonly string[] = [
  '@output',
  '@output/',
  '@output/1.txt',
  '@output/0.txt',
  '@output/01.txt',
  '@output/-1.txt',
  '@output/1e3.txt',
  '@output/1.txt/',
  '@output/1.txt/..',
  '@output/..',
  '@output/../..',
  '@output/../../outside/secret.txt',
  '@output/../1.txt',
  '@output/./1.txt',
  '@output//1.txt',
  '@output/99999999999999999999.txt',
  '@output/1.txt\n',
  '@output/secret.txt',
  '@output/１.txt',
]

export const lookAlikes: readonly string[] = [
  '..%2foutside%2fsecret.txt',
  '%2e%2e/outside/secret.txt',
  '%2e%2e%2foutside',
  '．．/outside/secret.txt',
  '‥/outside/secret.txt',
  '․․/outside/secret.txt',
  '..∕outside∕secret.txt',
  '..⁄outside',
  '..／outside／secret.txt',
  '\u202e..',
  '\u200b../outside',
  '..\u200b/outside/secret.txt',
  '.../outside/secret.txt',
  '.. /outside/secret.txt',
  ' ../outside/secret.txt',
  '$HOME/.ssh',
  '${HOME}/x',
  '`id`',
  '$(id)',
  '-rf',
  '--help',
  '*',
  '{a,b}',
  'C:/Windows/win.ini',
  'con',
  'nul',
  'CON/aux.txt',
  '__proto__',
  'constructor/prototype',
  'toString',
  '. .',
  ' ',
]

export const unprintablePaths: readonly string[] = [
  '..\\outside\\secret.txt',
  'sub\\..\\..\\outside',
  '\\\\server\\share',
  'C:\\Windows',
  'line\nbreak.txt',
  'tab\tstop',
  'return\r',
  '\u001b[31mred',
  'bell\u0007',
  'delete\u007f',
  'new/line\nbreak/x',
]

/** What is in the workspace, and where it leads. */
export const hostileLinks = (outside: string): Readonly<Record<string, string>> => ({
  'to-secret': '../outside/secret.txt',
  'to-secret-absolute': join(outside, 'secret.txt'),
  'to-outside': '../outside',
  'to-outside-slash': '../outside/',
  'to-outside-absolute': outside,
  'to-parent': '..',
  'to-root': '/',
  'to-missing-outside': '../outside/new.txt',
  'to-missing-absolute': join(outside, 'new.txt'),
  'to-nonexistent': '/nonexistent/new.txt',
  'chain-1': 'chain-2',
  'chain-2': 'sub/chain-3',
  'sub/chain-3': '../../outside/secret.txt',
  'sub/up': '../..',
  'sub/round-about': `../../${'workspace/../'.repeat(3)}outside/secret.txt`,
  'loop-a': 'loop-b',
  'loop-b': 'loop-a',
  'loop-self': 'loop-self',
  'loop-folder': 'loop-folder/x',
  'loop-here': './loop-here/../loop-here',
  'to-pipe': 'pipe',
  'to-socket': 'socket',
  'git-link': '.git',
  'git-config-link': '.git/config',
  'sub/git-link': '../.git/hooks',
  'to-passwd': '/etc/passwd',
  'to-environ': '/proc/self/environ',
  'to-process-root': '/proc/self/root',
  'to-process-folder': '/proc/self/cwd',
  'to-zero': '/dev/zero',
  'to-stdin': '/dev/stdin',
})

const ways = words(`
  .. ./.. .//.. .././ sub/../.. sub/../sub/../.. sub/deep/../../.. sub/deep/.././../.. ./sub/./../..
  ../workspace/.. ../workspace/../workspace/.. to-parent sub/up sub/deep/../up to-root/..
`)
const targets = words(`
  outside outside/ outside/. outside/secret.txt outside/folder/inner.txt
  outside/folder/../secret.txt outside/new.txt outside/new/deep.txt
`)

export const traversals: readonly string[] = ways.flatMap((way) =>
  targets.map((target) => `${way}/${target}`),
)
