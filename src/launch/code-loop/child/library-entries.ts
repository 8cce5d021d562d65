/** The entry files of this package, by the names that the code of a loop imports them by. */

const files = {
  loopwright: 'host/index.js',
  'loopwright/agents': 'agents/public.js',
  'loopwright/tools': 'tools/public.js',
  'loopwright/gateway': 'gateway/public.js',
  'loopwright/policy': 'authority/policy/public.js',
  'loopwright/rounds': 'loops/round/public.js',
  'loopwright/client': 'client/public.js',
  'loopwright/testing': 'testing/index.js',
} as const

/** An entry of `exports` in package.json: `loopwright`, or `loopwright/` and a subpath. */
export type EntryName = keyof typeof files

/** The addresses of the built entry files. */
export function libraryEntries(): Readonly<Record<EntryName, string>> {
  const built = new URL('../../../', import.meta.url)
  const entries = Object.entries(files).map(([name, file]) => [name, new URL(file, built).href])
  return Object.fromEntries(entries) as Record<EntryName, string>
}
