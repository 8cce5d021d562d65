/**
 * The environment variables that every child process inherits. An allow-list, because API keys are in the
 * environment; anything else a program needs is passed explicitly.
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
