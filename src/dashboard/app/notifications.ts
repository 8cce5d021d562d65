/**
 * Notifications of the desktop, for questions and for the ends of runs. Off until a person turns them on with the button: the
 * browser is asked for permission then, and never by itself. What a run says about itself is text in a notification, too.
 */

import { useSyncExternalStore } from 'react'
import { isEnd, type RunSummary } from '../../client/browser.ts'
import { statusOf } from '../parts/status.tsx'

const key = 'loopwright-notify'
const shownMax = 3
const textCharsMax = 200

const listeners = new Set<() => void>()
const isSupported = 'Notification' in window

let isOn =
  isSupported && localStorage.getItem(key) === 'on' && Notification.permission === 'granted'

function setOn(next: boolean): void {
  isOn = next
  if (next) localStorage.setItem(key, 'on')
  else localStorage.removeItem(key)
  for (const listener of listeners) listener()
}

/** A hidden tab stays connected only if someone wants to be notified. */
export const areNotificationsOn = (): boolean => isOn

/** Undefined: this browser has none. */
export const useNotifications = (): boolean | undefined => {
  const value = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => isOn,
  )
  return isSupported ? value : undefined
}

/** Call it from a button. Returns why they cannot be turned on. */
export async function switchNotifications(): Promise<string | undefined> {
  if (isOn) {
    setOn(false)
    return undefined
  }
  const permission = await Notification.requestPermission()
  setOn(permission === 'granted')
  return permission === 'granted'
    ? undefined
    : 'The browser blocks notifications of this page. Allow them in its settings for this address.'
}

export interface Notice {
  readonly title: string
  readonly text: string
  /** Where a click leads. */
  readonly path: string
  /** A later notice with the same tag replaces it. */
  readonly tag: string
}

/** What is worth an interruption: a new question, or an end. `seen`: by run, what was noticed before. */
export function noticesOf(
  items: readonly RunSummary[],
  seen: Map<string, string>,
): readonly Notice[] {
  const notices: Notice[] = []
  for (const item of items) {
    const { run, waitsFor, line } = item
    const state =
      waitsFor?.type === 'person'
        ? `asks ${waitsFor.question}`
        : isEnd(run.status)
          ? `ended ${run.status}`
          : 'works'
    const before = seen.get(run.id)
    seen.set(run.id, state)
    if (before === state || state === 'works') continue
    // A run that had ended before this page heard of it, such as one that was merged.
    if (before === undefined && isEnd(run.status) && item.lastEvent.type !== 'run-ended') continue
    const isQuestion = waitsFor?.type === 'person'
    notices.push({
      title: isQuestion ? `${run.name} needs you` : `${run.name}: ${statusOf(item).word}`,
      text: (isQuestion ? waitsFor.text : line).slice(0, textCharsMax),
      path: isQuestion ? `/questions/${run.name}` : `/runs/${run.name}`,
      tag: run.id,
    })
  }
  return notices
}

/** Only while the page is hidden or another window has the focus. */
export function notify(notices: readonly Notice[], open: (path: string) => void): void {
  if (!isOn || !isSupported || (!document.hidden && document.hasFocus())) return
  for (const { title, text, path, tag } of notices.slice(0, shownMax)) {
    const shown = new Notification(title, { body: text, tag })
    shown.addEventListener('click', () => {
      window.focus()
      open(path)
      shown.close()
    })
  }
}
