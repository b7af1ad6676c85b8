/** A web proof does not show what it should. The message completes "The web proof does not prove the profile: …". */
export class NoEvidence extends Error {
  override readonly name = 'NoEvidence';
}
