// Loads the page again while a script or the style of its first screen is not there: during an upgrade, API processes of two releases
// answer, and one does not have the files of the other. It is a file of its own, under a name that stays, so that it is there when
// those are not.
{
  const AGAIN_AFTER_MS = 2_000
  const ANSWER_LIMIT_MS = 10_000
  const TEXT = 'The dashboard could not be loaded. The service may be updating. Trying again…'

  /** Without an answer, a reload would replace this page by the browser's own error. */
  const isServed = () =>
    fetch('/', { cache: 'no-store', signal: AbortSignal.timeout(ANSWER_LIMIT_MS) }).then(
      ({ ok }) => ok,
      () => false,
    )

  const loadAgain = async () => {
    do await new Promise((resolve) => setTimeout(resolve, AGAIN_AFTER_MS))
    while (!(await isServed()))
    location.reload()
  }

  const onError = ({ target }) => {
    if (!(target instanceof HTMLScriptElement || target instanceof HTMLLinkElement)) return
    const root = document.querySelector('#root')
    // What a running page loads later is its own matter.
    if (root === null || root.hasChildNodes()) return
    const message = document.createElement('p')
    message.setAttribute('role', 'status')
    message.textContent = TEXT
    root.append(message)
    void loadAgain()
  }

  // Such errors do not bubble.
  addEventListener('error', onError, { capture: true })
}
