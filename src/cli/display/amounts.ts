/** Numbers as people read them. */

export function renderSpan(ms: number): string {
  const seconds = ms / 1000
  if (seconds < 60) return `${seconds.toFixed(1)} s`
  if (seconds < 7200) return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`
  return `${(seconds / 3600).toFixed(1)} h`
}

export const renderCount = (count: number): string => count.toLocaleString('en-US')

/** Cents where there are any, more digits where there are not. */
export function renderMoney(micros: number): string {
  const dollars = micros / 1e6
  return `$${dollars > 0 && dollars < 0.01 ? dollars.toFixed(4) : dollars.toFixed(2)}`
}

export const plural = (count: number, noun: string): string =>
  `${renderCount(count)} ${noun}${count === 1 ? '' : 's'}`
