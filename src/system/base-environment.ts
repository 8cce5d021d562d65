/**
 * What every process that we start may know of our environment. One list, because it is a wall: keys
 * stand in the environment, and whatever else a program is to have is named for it.
 */

const names = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR'] as const

export function baseEnvironment(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Record<string, string> {
  const found: Record<string, string> = {}
  for (const name of names) {
    const value = environment[name]
    if (value !== undefined) found[name] = value
  }
  return found
}
