from .aims import Objective as Objective, Requirement as Requirement
