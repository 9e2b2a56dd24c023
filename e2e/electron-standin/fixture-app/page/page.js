document.querySelector('#add').onclick = async () => {
  const answer = await window.fixture.add(2, 3)
  const { sum, at, bytes, sizes } = answer
  document.querySelector('#answer').textContent = JSON.stringify({
    sum,
    at: at instanceof Date && at.getTime(),
    bytes: bytes instanceof Uint8Array && [...bytes],
    sizes: sizes instanceof Map && String(sizes.get('one')),
  })
}
window.pongs = []
window.stopPongs = window.fixture.onPong((value) => window.pongs.push(value.n))
